import { MAX_INSTANT_AT } from '@retry/core';
import * as kit from '@retry/core/broker/kit';
import type { RunState } from '@retry/core/lifecycle';
import { DEAD_LETTER_STATES, isEnd, RUN_STATES } from '@retry/core/lifecycle';
import { UNREADABLE_RUN } from '../src/errors.ts';
import { CHANGE_MARKS } from '../src/record/changes.ts';
import {
  deadLetterOf,
  PLAIN_COLUMNS,
  RARE_COLUMNS,
  RUN_FIELDS,
  TRIMMED,
  TRIMMED_MARK,
} from '../src/schema/rows.ts';

/** A value that the build writes into the SQL texts: a text in quotes, a list with commas, or SQL as it is. */
export type Constant =
  | string
  | number
  | bigint
  | readonly string[]
  | { readonly sql: string }
  | { readonly [name: string]: Constant };

const ACTIVE: readonly RunState[] = RUN_STATES.filter((name) => !isEnd(name) && name !== 'unsubmitted');

const lettersOf = (names: readonly RunState[]): readonly string[] =>
  names.map((name) => kit.STATE_LETTERS[name]);

/** The largest integer that both the server and JavaScript have exactly, and those of the server. */
const [SAFE, FIRST, LAST] = [Number.MAX_SAFE_INTEGER, -(2n ** 63n), 2n ** 63n - 1n];

/** About how many leases insight looks at for started runs. */
const COUNTED_LEASES = 1_000;

/**
 * The names that SQL files use for what TypeScript reads and writes, too, and for limits: those that begin with a capital letter. In a
 * file `State.started` is the letter itself. A new state, letter or field of a run is here by itself.
 */
export const NAMES: Readonly<Record<string, Constant>> = {
  /** What a migration writes for its schema: the name, the channel and the lock. */
  Schema: { name: { sql: '{schema}' }, channel: { sql: '{channel}' }, lock: { sql: '{lock}' } },
  State: { ...kit.STATE_LETTERS },
  DeadLetter: Object.fromEntries(DEAD_LETTER_STATES.map((name) => [name, deadLetterOf(name)])),
  States: {
    waiting: lettersOf(['submitted', 'scheduled']),
    active: lettersOf(ACTIVE),
    deadLetters: DEAD_LETTER_STATES.map(deadLetterOf),
  },
  StateNames: { active: ACTIVE },
  NameOfState: Object.fromEntries([
    ...RUN_STATES.map((name) => [kit.STATE_LETTERS[name], name]),
    ...DEAD_LETTER_STATES.map((name) => [deadLetterOf(name), name]),
  ]),
  Destination: { ...kit.DESTINATION_LETTERS },
  Destinations: {
    continued: (['front', 'back', 'schedule'] as const).map((name) => kit.DESTINATION_LETTERS[name]),
  },
  Answer: kit.ANSWER_LETTERS,
  ChangeMark: CHANGE_MARKS,
  Mark: { trimmed: TRIMMED_MARK, trimmedText: TRIMMED.slice(1) },
  /** Letters of locations that are no states, for the audit. */
  Audited: { ended: 'e', deadLetter: 'd' },
  RunRow: RUN_FIELDS,
  PlainColumns: PLAIN_COLUMNS,
  RareColumns: RARE_COLUMNS,
  Unreadable: {
    name: UNREADABLE_RUN,
    group: { ...kit.UNREADABLE_GROUP },
    settledBy: kit.settledBy(1, 'fail'),
  },
  OtherGroup: { ...kit.OTHER_GROUP },
  Hold: {
    /** In place of the lane of a hold of all lanes; no lane has an empty name. */
    allLanes: '',
    /** The lane that the key of a hold's note ends with. */
    laneOfKey: `^${kit.HOLD_PREFIX}[^/]*/(.*)$`,
  },
  Limit: {
    replyBytes: kit.MAX_BATCH_BYTES,
    instantAt: MAX_INSTANT_AT,
    /** Later than every instant, and behind and before every order. */
    forEver: LAST,
    lastOrd: LAST,
    firstOrd: FIRST,
    safeInteger: SAFE,
    /** The last epoch that can be incremented. */
    lastEpoch: SAFE - 1,
    groups: kit.MAX_GROUPS,
    keysLookedAt: kit.KEYS_LOOKED_AT,
    otherWindows: kit.WINDOWS_OF_A_KEY - 1,
    /** Beyond this size, in bytes, a payload or a result is long: it counts for what retention keeps of them. */
    shortText: kit.LONGEST_SHORT,
    /** From this size on, in bytes, a payload is a row of the reply: the server sends it as it is stored. */
    linePayloadBytes: 2_000,
    /** The most runs whose claim replies a row for each: of more, it takes longer than one for each column. */
    fewRuns: 20,
    /** How soon to claim again by a concurrency key that another worker is claiming by. */
    busyMs: 5,
    /** How often a claim goes on to read a lane whose turns are passed on: as a rule each time starts a run. */
    readsByTurn: 1_000,
    /** How often a submission is tried whose ids other clients submit or forget at the same time. */
    submitTries: 10,
    /** How many entries of a list a page looks at, at least, where only some of their runs may match. */
    listedEntries: 1_000,
    /** Up to this number of kept runs the audit looks for each of them; up to this number of finished ones it reads states by ids. */
    auditedEach: 10_000,
    auditedById: 10_000,
    /** Within the 8000 bytes of a notification. */
    messageBytes: 7_000,
    /** The waiting runs of a lane are counted up to this number. */
    countedRuns: 10_000,
    countedLeases: COUNTED_LEASES,
    readLeases: COUNTED_LEASES + 1,
    /** How many rows of an error group are read one by one before they are summed up, and the most groups that one call sums up. */
    unsummedRows: 16,
    summedGroups: 1_000,
    /** The most that one call forgets or sums up: finished runs, rows of them whose long texts it deletes, rows of the tally, others. */
    trimmedRuns: 20_000,
    trimmedRows: 1_000,
    talliedRows: 10_000,
    tidiedRows: 5_000,
    /** How long a process that does not wait any longer is kept. */
    waiterMs: 3_600_000,
    /** How long a request may be on its way, and arrive after another with the same id. */
    lateRequestMs: 30_000,
    /** How many that are not used a call forgets, at most, for each limit or note that it writes. */
    forgottenForEach: 2,
    /** When a limit may be forgotten is rounded up to at least this, so that few updates change what is indexed. */
    forgetStepMs: 60_000,
  },
};
