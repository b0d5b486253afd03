import type { Duration } from '../../duration.ts';
import type { Fields, Report } from '../../fields/fields.ts';
import { readFields } from '../../fields/fields.ts';
import type { Synonyms } from '../../fields/synonyms.ts';
import { countFrom } from '../../fields/value-rules.ts';
import { DEAD_LETTER_STATES } from '../../lifecycle/arrows.ts';
import type { Broker, ListQuery } from '../broker.ts';
import type { Run } from '../run.ts';
import { discardRuns } from './operate/redrive-runs.ts';
import { utf8Bytes } from './storable/texts.ts';

/** What a broker keeps of the completed, cancelled, dropped and disposable runs: each bound holds by itself. */
export interface KeepCompleted {
  /** How many runs, the latest of them; a whole number ≥ 0, or `Infinity`. @default 1000 */
  readonly count?: number | undefined;
  /** How long they are kept after their end. @default Infinity */
  readonly for?: Duration | undefined;
  /**
   * How many bytes their payloads and results may take together, of those longer than 4 096 bytes of UTF-8; ≥ 0, or `Infinity`. Beyond
   * that, such texts of the runs that ended first are deleted, and the runs stay: `trimmed` says so.
   *
   * @default 64 MiB; on Redis a quarter of `maxmemory`, where it is set
   */
  readonly bytes?: number | undefined;
}

/** What a broker keeps of the runs that failed, stalled or were rate limited. */
export interface KeepDead {
  /** How long they are kept after their end; then cleaners forget them as a discard does, up to a minute later. @default Infinity */
  readonly for?: Duration | undefined;
}

/** The options by which every broker says what it keeps of ended runs. */
export interface RetentionOptions {
  /**
   * What is kept of completed, cancelled, dropped and disposable runs: `{ count, for, bytes }`. A result that a caller waits for
   * (`keepResult`) is kept besides.
   *
   * @default { count: 1000, for: Infinity, bytes: 64 MiB }
   */
  readonly keepCompleted?: KeepCompleted | undefined;
  /** What is kept of dead letters: `{ for }`. @default { for: Infinity }: until they are redriven or discarded */
  readonly keepDead?: KeepDead | undefined;
  /**
   * How long the key of a run (an id that the caller chose) stays known after the run ended, even if the run is forgotten before.
   * Until then, a submission of the same key is not a new run.
   *
   * @default '1d'
   */
  readonly keepKeys?: Duration | undefined;
}

/** The options with their defaults. */
export interface RetentionSettings {
  readonly keepCount: number;
  readonly keepForMs: number;
  /** Absent: the broker's default. */
  readonly keepBytes: number | undefined;
  readonly keepDeadForMs: number;
  readonly keepKeysMs: number;
}

/** The keys of {@link RetentionOptions}. */
export const RETENTION_KEYS: readonly (keyof RetentionOptions)[] = ['keepCompleted', 'keepDead', 'keepKeys'];

/** Their names in other libraries. */
export const RETENTION_SYNONYMS: Synonyms = [
  [
    /^(removeOnComplete|keepBytes|ttl|retention\w*|(archive|delete)\w*After\w*)$/,
    "keepCompleted: { count: 1_000, for: '7d' }",
  ],
  [/^(removeOnFail|keepFailed|deadLetterRetention)$/, "keepDead: { for: '30d' }"],
];

/** How many bytes of long texts are kept, unless the options or the memory of the server say otherwise. */
export const KEEP_BYTES: number = 64 * 2 ** 20;

/** Payloads and results of at most so many bytes of UTF-8 are bounded by the number of runs; longer ones also by their bytes. */
export const LONGEST_SHORT = 4_096;

const DAY_MS = 86_400_000;

/** Reads what a broker keeps; every wrong value is reported. */
export function readRetention(fields: Fields, report: Report): RetentionSettings {
  const completed = nested(fields, report, { key: 'keepCompleted', keys: ['count', 'for', 'bytes'] });
  const dead = nested(fields, report, { key: 'keepDead', keys: ['for'] });
  const bytes = completed.value('bytes');
  return {
    keepCount: completed.number('count', 1_000, countFrom(0, 'Use 0 to keep none, Infinity to keep all.')),
    keepForMs: completed.duration('for', Infinity),
    keepBytes: bytes === undefined ? undefined : completed.number('bytes', 0, A_NUMBER_OF_BYTES),
    keepDeadForMs: dead.duration('for', Infinity),
    keepKeysMs: fields.duration('keepKeys', DAY_MS),
  };
}

const A_NUMBER_OF_BYTES = {
  accepts: (bytes: number): boolean => bytes >= 0,
  message: 'must be ≥ 0, or Infinity',
  cure: 'Leave it out for the default of the broker.',
};

interface Nested {
  readonly key: 'keepCompleted' | 'keepDead';
  readonly keys: readonly string[];
}

function nested(fields: Fields, report: Report, { key, keys }: Nested): Fields {
  const value = fields.value(key);
  const none = (): Fields => readFields({}, key, { keys, report }) as Fields; // of an object, always
  if (value === undefined) return none();
  if (typeof value === 'object' && value !== null) return readFields(value, key, { keys, report }) ?? none();
  fields.fail(key, 'must be an object', bareCure(key, value));
  return none();
}

/** A number alone, or a duration, is the first thing that one tries. */
function bareCure(key: Nested['key'], value: unknown): string {
  if (typeof value === 'string') return `Use ${key}: { for: '${value.slice(0, 20)}' }.`;
  if (key === 'keepDead') return "Use keepDead: { for: '30d' }.";
  return `Use keepCompleted: { count: ${typeof value === 'number' ? value : 1_000} }.`;
}

/** The texts of a run that retention deletes to make room. */
export type TrimmedText = 'payload' | 'result';

/** Whether a payload or result counts as a long one. */
export function isLongText(text: string | undefined): boolean {
  if (text === undefined || text.length * 3 <= LONGEST_SHORT) return false;
  return text.length > LONGEST_SHORT || utf8Bytes(text) > LONGEST_SHORT;
}

/** How many bytes the long texts of a run have, of UTF-8. */
export function longBytes({ payload, result }: Pick<Run, 'payload' | 'result'>): number {
  return longBytesOf(payload) + longBytesOf(result);
}

function longBytesOf(text: string | undefined): number {
  return text !== undefined && isLongText(text) ? utf8Bytes(text) : 0;
}

/** Returns the run without its long texts, which `trimmed` names. */
export function trimmedRun(run: Run): Run {
  const isPayload = isLongText(run.payload);
  const isResult = isLongText(run.result);
  const trimmed: TrimmedText[] = [];
  if (isPayload) trimmed.push('payload');
  if (isResult) trimmed.push('result');
  return {
    ...run,
    payload: isPayload ? '' : run.payload,
    result: isResult ? undefined : run.result,
    trimmed: [...(run.trimmed ?? []), ...trimmed],
  };
}

/** The part of a broker that forgets dead letters. */
type Forgetting = Pick<Broker, 'list' | 'get' | 'change'>;

/** How many dead letters of each state one call looks at, in pages. */
const PAGES = 4;
const PAGE = 1_000;

/**
 * Creates what forgets dead letters that ended a time ago. They have no order by time, so each call looks at the next few thousand of
 * each state, by id, and begins anew behind the last.
 *
 * @returns forgets those that ended `forMs` before `now` or earlier
 */
export function createForgetOldLetters(broker: Forgetting, forMs: number): (now: number) => Promise<void> {
  const reached = new Map<ListQuery['state'], string>();
  return async (now) => {
    if (forMs === Infinity) return;
    const endedBefore = now - forMs + 1;
    for (const state of DEAD_LETTER_STATES) {
      for (let page = 0; page < PAGES; page += 1) {
        const after = reached.get(state);
        const query: ListQuery = { state, endedBefore, limit: PAGE, payloads: 'omit', disposable: 'omit' };
        const { runs, next } = await broker.list(after === undefined ? query : { ...query, after });
        if (runs.length > 0)
          await discardRuns(
            broker,
            runs.map(({ id }) => id),
            { endedBefore },
          );
        if (next === undefined) reached.delete(state);
        else reached.set(state, next);
        if (next === undefined) break;
      }
    }
  };
}
