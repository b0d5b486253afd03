import { AUDIT } from './audit-function.ts';
import { CLAIM_KEYED, CLAIM_NEXT, PROMOTE, SET_ASIDE } from './claim-functions.ts';
import { CLAIM, EXCHANGE } from './exchange-functions.ts';
import { AWAITED, EXPIRED, REMEMBER, TIDY, TRIM } from './keeping-functions.ts';
import { CANCEL, DISCARD, LEAVE_PLACES, REDRIVE, TAKE_PLACES } from './operator-functions.ts';
import { GET, HEARTBEAT, LIST, RECORDS, SHOW, VIEWS } from './run-functions.ts';
import { ANSWER_UNSETTLED, GIVE_BACK, LOCK_KEYS, SETTLE } from './settle-functions.ts';
import { HELD } from './started.ts';
import { ATTEND, CLOCK, SUBMIT, TELL } from './submit-functions.ts';

const TEXTS: readonly string[] = [
  ...[HELD, CLOCK, RECORDS, SHOW, AWAITED, TELL, SUBMIT, LOCK_KEYS, GIVE_BACK, ANSWER_UNSETTLED, SETTLE],
  ...[SET_ASIDE, PROMOTE, CLAIM_NEXT, CLAIM_KEYED, CLAIM, REMEMBER, TRIM, TIDY, EXCHANGE],
  ...[
    GET,
    LIST,
    HEARTBEAT,
    EXPIRED,
    TAKE_PLACES,
    LEAVE_PLACES,
    CANCEL,
    REDRIVE,
    DISCARD,
    ATTEND,
    AUDIT,
    VIEWS,
  ],
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
