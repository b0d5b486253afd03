import type { Concurrency } from '@retry/core/broker';
import type { RunState } from '@retry/core/lifecycle';

/**
 * How a run is written down on the server: the one table of fields, letters and flags, from which TypeScript reads and
 * writes, and from which the Lua scripts are made (`lua/names.ts`). A new field is a line here and the code that uses it.
 */

/** The characters of one field, counted from 0; `end` is the first one after it. */
export interface FieldRange {
  readonly from: number;
  readonly end: number;
}

/** Text that begins with fields of fixed width. */
export interface Layout<Field extends string> {
  /** In their order in the text. */
  readonly names: readonly Field[];
  readonly fields: Readonly<Record<Field, FieldRange>>;
  /** Characters of all fields together. */
  readonly length: number;
}

/** An instant has 13 digits, enough until the year 2286; zeros stand for never. */
const INSTANT = 13;
/** The instant when a run is due has 16 digits, as a caller may choose any up to `MAX_INSTANT_AT`. */
const LATE_INSTANT = 16;
const LANE_SEQ = 16;
const EPOCH = 10;
const GROUP_COUNT = 16;

/** A field of a record. */
type RecordField =
  | 'state'
  | 'flags'
  | 'epoch'
  | 'submittedAt'
  | 'firstStartedAt'
  | 'startedAt'
  | 'heartbeatAt'
  | 'endedAt'
  | 'runAt'
  | 'laneSeq';

/**
 * The record of a run. Behind these fields follow `settledBy`, a zero character, counters and errors as JSON (which only
 * TypeScript reads), a zero character, and the result.
 */
export const RECORD: Layout<RecordField> = layoutOf({
  state: 1,
  flags: 1,
  epoch: EPOCH,
  submittedAt: INSTANT,
  firstStartedAt: INSTANT,
  startedAt: INSTANT,
  heartbeatAt: INSTANT,
  endedAt: INSTANT,
  runAt: LATE_INSTANT,
  // The order of a waiting run in the front of its lane, the parked runs or the schedule; of a started one the hash of its lane.
  laneSeq: LANE_SEQ,
});

/** The short record of a first start: everything else is in the body of the run. */
export const FIRST_START: Layout<'state' | 'flags' | 'startedAt' | 'heartbeatAt' | 'laneHash'> = layoutOf({
  state: 1,
  flags: 1,
  startedAt: INSTANT,
  heartbeatAt: INSTANT,
  laneHash: LANE_SEQ,
});

/** The short record of a run that completed at its first start; its result follows. */
export const FIRST_COMPLETION: Layout<'state' | 'flags' | 'startedAt' | 'heartbeatAt' | 'endedAt'> = layoutOf(
  {
    state: 1,
    flags: 1,
    startedAt: INSTANT,
    heartbeatAt: INSTANT,
    endedAt: INSTANT,
  },
);

/** What is sent for a run that completes at a later start, from which the script makes its record; the result follows. */
export const LATER_COMPLETION: Layout<'mark' | 'epoch' | 'heartbeatAt' | 'endedAt'> = layoutOf({
  mark: 1,
  epoch: EPOCH,
  heartbeatAt: INSTANT,
  endedAt: INSTANT,
});

/** The first character of a {@link LATER_COMPLETION}, which no state has. */
export const LATER_COMPLETION_MARK = 'c';

/** The body of a run: notes, concurrency, lane and payload follow. Only a claim changes it, where the task of the run has a limit of its own. */
export const BODY: Layout<'createdAt' | 'kind'> = layoutOf({ createdAt: INSTANT, kind: 1 });

/** A member of the front of a lane, or of the parked runs, after the text that it sorts by; the id follows. */
export const FRONT_ENTRY: Layout<'laneSeq'> = layoutOf({ laneSeq: LANE_SEQ });

/** A member of the schedule, after its lane; the id follows. */
export const SCHEDULED_ENTRY: Layout<'runAt' | 'laneSeq'> = layoutOf({
  runAt: LATE_INSTANT,
  laneSeq: LANE_SEQ,
});

/** An entry of the finished runs that has more than an id; the id follows. */
export const FINISHED_ENTRY: Layout<'mark' | 'state'> = layoutOf({ mark: 1, state: 1 });

/** The figures of an error group; the id of its latest run, a zero character and the title follow. */
export const GROUP: Layout<'count' | 'attempts' | 'firstSeenAt' | 'lastSeenAt'> = layoutOf({
  count: GROUP_COUNT,
  attempts: GROUP_COUNT,
  firstSeenAt: INSTANT,
  lastSeenAt: INSTANT,
});

/** What is before and after the id of its group in the record of a dead letter, where counters and errors begin. */
export const GROUP_MARK = { before: '{"errorGroup":"', after: '"' } as const;

/** Until when a run has its unique key, in place of an instant. */
export const KEY_UNTIL: Readonly<Record<'started' | 'ended', string>> = { started: 's', ended: 'e' };

/** The states that a run on the server can have; their letters are those of core's kit. */
export type KeptState = Exclude<RunState, 'unsubmitted'>;

/** Bits of the flags of a record, which are one character from `0` on. */
export const FLAGS = {
  cancelRequested: 1,
  /** The run takes a slot of its concurrency key: it is started, or keeps the slot while it waits to start again. */
  takesSlot: 2,
  /** Retention may forget the run like a completed one. */
  disposable: 4,
  /** The stack of its last error is kept apart. */
  hasStack: 8,
  /** The record is a short one. */
  short: 16,
  /** The body has notes. */
  noted: 32,
} as const;

export type Flag = keyof typeof FLAGS;

/** The character of no flags. That of others has a code that is higher by their sum. */
export const NO_FLAGS = '0';

export const ALL_FLAGS = Object.keys(FLAGS) as readonly Flag[]; // its own keys

/** The flags together, as the character that a record has. */
export function flagText(...flags: readonly Flag[]): string {
  const bits = flags.reduce((sum, flag) => sum + FLAGS[flag], 0);
  return String.fromCharCode(NO_FLAGS.charCodeAt(0) + bits);
}

/** Whether a record has a flag. */
export function hasFlag(record: string, flag: Flag): boolean {
  const bits = record.charCodeAt(RECORD.fields.flags.from) - NO_FLAGS.charCodeAt(0);
  return (bits & FLAGS[flag]) !== 0;
}

/** The letters of one kind of body. */
interface BodyKind {
  readonly plain: string;
  readonly noted: string;
}

/**
 * The letter of a body: what its concurrency key does when it is full, and whether notes follow. Of a body with a key and notes
 * it is the capital of the letter without.
 */
export const BODY_KINDS: Readonly<Record<'none' | Concurrency['whenFull'] | KeptKind, BodyKind>> = {
  none: { plain: '-', noted: '=' },
  wait: { plain: 'w', noted: 'W' },
  claim: { plain: 'c', noted: 'C' },
  waitKept: { plain: 'h', noted: 'H' },
  claimKept: { plain: 'o', noted: 'O' },
};

/** What the key of a run that keeps its slot while it waits to start again does when it is full. */
type KeptKind = `${Concurrency['whenFull']}Kept`;

const KINDS = Object.values(BODY_KINDS);

/** Kinds of a body with notes. */
export const NOTED_KINDS: readonly string[] = KINDS.map(({ noted }) => noted);

/** Kinds of a body with a concurrency key. */
export const KEYED_KINDS: readonly string[] = [
  ...[BODY_KINDS.wait, BODY_KINDS.claim],
  ...[BODY_KINDS.waitKept, BODY_KINDS.claimKept],
].flatMap(Object.values);

/** Every kind of a body. */
export const ALL_KINDS: readonly string[] = KINDS.flatMap(Object.values);

/**
 * Notes of a body; a number among them is how many milliseconds its result waits to be collected. That there is a
 * fairness key is the first, so that scripts find it at once: it follows the notes. Extras are what few runs were submitted with besides:
 * they follow the lane.
 */
export const NOTES = { fair: 'f', keyed: 'k', payloadApart: 'p', extras: 'x' } as const;

/** What the fields of texts that are kept apart begin with; the id follows. */
export const APART_TEXTS = { payload: 'p', result: 'r' } as const;

/** How many characters a field has. */
export function widthOf<Field extends string>({ fields }: Layout<Field>, name: NoInfer<Field>): number {
  return fields[name].end - fields[name].from;
}

/** Text of all fields, in the order of the layout. */
export function writeFields<Field extends string>(
  { names }: Layout<Field>,
  values: Readonly<Record<NoInfer<Field>, string>>,
): string {
  let text = '';
  for (const name of names) text += values[name];
  return text;
}

/** An epoch as a record has it; one that no record can have is that of a run that was never claimed, so that nothing is settled by it. */
export function epochText(epoch: number): string {
  const isKept = epoch >= 0 && epoch <= LAST_EPOCH;
  return String(isKept ? epoch : 0).padStart(EPOCH, '0');
}

const LAST_EPOCH = 10 ** EPOCH - 1;

function layoutOf<Field extends string>(widths: Readonly<Record<Field, number>>): Layout<Field> {
  const names = Object.keys(widths) as Field[]; // its own keys, in the order in which they are written
  const ranges: [Field, FieldRange][] = [];
  let length = 0;
  for (const name of names) {
    ranges.push([name, { from: length, end: length + widths[name] }]);
    length += widths[name];
  }
  return { names, fields: Object.fromEntries(ranges) as Record<Field, FieldRange>, length }; // one for each name
}
