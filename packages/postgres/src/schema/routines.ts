import { AUDIT } from './audit-function.ts';
import { CLAIM } from './exchange/claim-general.ts';
import { CLAIM_KEYED, CLAIM_NEXT, FAIL_UNREADABLE, PROMOTE, PROMOTE_MOVED } from './exchange/claim-steps.ts';
import { HELD_LANES } from './exchange/held-lanes.ts';
import { LOCK_KEYS, UNPARK, UNPARK_BELOW } from './exchange/keys.ts';
import { LONG_TEXTS } from './exchange/long-texts.ts';
import { RECALL } from './exchange/recall.ts';
import { ANSWER_UNSETTLED } from './exchange/settle.ts';
import { SETTLE_AND_CLAIM } from './exchange/settle-and-claim.ts';
import { SETTLE_AND_SUBMIT } from './exchange/settle-and-submit.ts';
import { DUE_TIMES } from './insight/due-times.ts';
import { GROUPS } from './insight/groups.ts';
import { LANE_COUNTS } from './insight/lanes.ts';
import { AWAITED, EXPIRED, TIDY, TRIM } from './keeping-functions.ts';
import { LEASES } from './leases.ts';
import { LIST } from './list-functions.ts';
import { CHANGE } from './operators/change.ts';
import { HOLDS } from './operators/hold.ts';
import { LOCATIONS } from './operators/locations.ts';
import { NOTES } from './operators/notes.ts';
import { OPERATIONS } from './operators/operations.ts';
import { RESERVE } from './reserve-function.ts';
import { GET, HEARTBEAT, READ, RECORDS, SHOW, VIEWS } from './run-functions.ts';
import { CLOCK, SUBMIT } from './submit-functions.ts';
import { SUBMIT_UNIQUE } from './submit-unique.ts';
import { DEPTHS, WAITING_PROCESSES } from './wait-functions.ts';

const TEXTS: readonly string[] = [
  ...[
    LEASES,
    CLOCK,
    RECORDS,
    SHOW,
    GROUPS,
    AWAITED,
    WAITING_PROCESSES,
    HOLDS,
    SUBMIT,
    LOCK_KEYS,
    UNPARK,
    UNPARK_BELOW,
  ],
  ...[
    HELD_LANES,
    ANSWER_UNSETTLED,
    FAIL_UNREADABLE,
    PROMOTE_MOVED,
    PROMOTE,
    CLAIM_NEXT,
    CLAIM_KEYED,
    CLAIM,
    RECALL,
  ],
  ...[
    LONG_TEXTS,
    TRIM,
    TIDY,
    SETTLE_AND_CLAIM,
    SETTLE_AND_SUBMIT,
    GET,
    READ,
    LIST,
    HEARTBEAT,
    EXPIRED,
    LOCATIONS,
  ],
  ...[OPERATIONS, CHANGE, SUBMIT_UNIQUE, NOTES, RESERVE, DEPTHS, LANE_COUNTS, DUE_TIMES, AUDIT, VIEWS],
];

/** Every function and view of the schema, one definition each, in the order in which they are created. */
export const ROUTINES: readonly string[] = TEXTS.flatMap(splitDefinitions);

/** Splits a text at the lines that begin with `create`. */
function splitDefinitions(text: string): readonly string[] {
  return text
    .split(/^(?=create )/m)
    .map((definition) => definition.trim())
    .filter((definition) => definition !== '');
}
