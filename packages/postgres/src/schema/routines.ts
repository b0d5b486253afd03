import { AUDIT } from './audit-function.ts';
import { CLAIM } from './exchange/claim-general.ts';
import { CLAIM_KEYED, CLAIM_NEXT, FAIL_UNREADABLE, PROMOTE } from './exchange/claim-steps.ts';
import { LOCK_KEYS, UNPARK } from './exchange/keys.ts';
import { RECALL } from './exchange/recall.ts';
import { ANSWER_UNSETTLED } from './exchange/settle.ts';
import { SETTLE_AND_CLAIM } from './exchange/settle-and-claim.ts';
import { AWAITED, EXPIRED, TIDY, TRIM } from './keeping-functions.ts';
import { LEASES } from './leases.ts';
import { LIST } from './list-functions.ts';
import { CANCEL, DISCARD, LOCATIONS, REDRIVE } from './operator-functions.ts';
import { GET, HEARTBEAT, RECORDS, SHOW, VIEWS } from './run-functions.ts';
import { CLOCK, SUBMIT } from './submit-functions.ts';
import { ATTEND, WAITING_PROCESSES } from './wait-functions.ts';

const TEXTS: readonly string[] = [
  ...[LEASES, CLOCK, RECORDS, SHOW, AWAITED, WAITING_PROCESSES, SUBMIT, LOCK_KEYS, UNPARK],
  ...[ANSWER_UNSETTLED, FAIL_UNREADABLE, PROMOTE, CLAIM_NEXT, CLAIM_KEYED, CLAIM, RECALL],
  ...[TRIM, TIDY, SETTLE_AND_CLAIM, GET, LIST, HEARTBEAT, EXPIRED, LOCATIONS, CANCEL, REDRIVE],
  ...[DISCARD, ATTEND, AUDIT, VIEWS],
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
