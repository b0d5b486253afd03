import { isNumber } from '../../../fields/check-arguments.ts';
import type { Run } from '../../run.ts';
import type { RunIdentity } from '../copy-run.ts';
import { isAttemptError, unpackErrors } from './run-errors.ts';

/**
 * What a settlement or a change writes of a run, and what kind of value each field is. What checks, rounds and stores runs is made from
 * it; code that every settlement passes names the fields itself, and a test holds it to the table.
 */
export const RUN_FIELDS = {
  state: 'state',
  epoch: 'count',
  resetEpoch: 'count',
  failures: 'count',
  stalls: 'count',
  releases: 'count',
  rateLimits: 'count',
  redrives: 'count',
  result: 'text',
  deadContext: 'context',
  previousDelayMs: 'length',
  isDisposable: 'flag',
  resetAt: 'past',
  createdAt: 'past',
  submittedAt: 'past',
  firstStartedAt: 'past',
  startedAt: 'past',
  heartbeatAt: 'past',
  endedAt: 'past',
  runAt: 'due',
  errors: 'errors',
  settledBy: 'settlement',
} as const;

/** What is said by the submission, is a mark of the broker's own, or is changed by no move alone. */
type UnwrittenField = keyof RunIdentity | 'carried' | 'errorGroup' | 'isCancelRequested' | 'trimmed';

type WrittenField = Exclude<keyof Run, UnwrittenField>;

/** The kind of a field: a whole number from 0, an instant that is past or when it is due, a duration, … */
export type RunFieldKind = (typeof RUN_FIELDS)[keyof typeof RUN_FIELDS];

/** A field that is in no row of the table does not compile. */
const KINDS: Readonly<Record<WrittenField, RunFieldKind>> = RUN_FIELDS;

/** The fields of some kinds. */
export type FieldOf<Kind extends RunFieldKind> = {
  [Key in WrittenField]: (typeof RUN_FIELDS)[Key] extends Kind ? Key : never;
}[WrittenField];

/** Returns the fields of these kinds, in the order of the table. */
export function fieldsOf<Kind extends RunFieldKind>(...kinds: readonly Kind[]): readonly FieldOf<Kind>[] {
  const isOfKind = (key: WrittenField): key is FieldOf<Kind> => kinds.some((kind) => kind === KINDS[key]);
  return (Object.keys(KINDS) as readonly WrittenField[]).filter(isOfKind); // its own keys
}

/** What a run counts besides its claims; 0 of a new one. */
export const RUN_COUNTERS: readonly Exclude<FieldOf<'count'>, 'epoch'>[] = fieldsOf('count').filter(
  (key) => key !== 'epoch',
);

/** What brokers keep of a run as one JSON text, beside what servers read: every field of these kinds. */
export type HistoryField =
  | (typeof RUN_COUNTERS)[number]
  | 'resetAt'
  | FieldOf<'context' | 'length' | 'errors'>;

/** What that text has of a run, but for the errors, which some brokers keep apart. */
type StoredHistory = { readonly [Key in Exclude<HistoryField, 'errors'>]: Run[Key] | undefined };

/** Returns what brokers keep of a run as JSON; counters that are 0 are left out. Key by key, because every retry comes here. */
export function storedHistory(run: Run): StoredHistory {
  return {
    failures: run.failures || undefined,
    stalls: run.stalls || undefined,
    releases: run.releases || undefined,
    rateLimits: run.rateLimits || undefined,
    redrives: run.redrives || undefined,
    resetEpoch: run.resetEpoch || undefined,
    resetAt: run.resetAt,
    deadContext: run.deadContext,
    previousDelayMs: run.previousDelayMs,
  };
}

/**
 * Returns whether every field of the table is right, but for the state, the errors and the latest settlement. Key by key, because every
 * settlement comes here.
 */
export function hasPlainFields(run: Run): boolean {
  const { result, deadContext, previousDelayMs, isDisposable, runAt } = run;
  return (
    isCount(run.epoch) &&
    isCount(run.resetEpoch) &&
    isCount(run.failures) &&
    isCount(run.stalls) &&
    isCount(run.releases) &&
    isCount(run.rateLimits) &&
    isCount(run.redrives) &&
    isPast(run.resetAt) &&
    isPast(run.createdAt) &&
    isPast(run.submittedAt) &&
    isPast(run.firstStartedAt) &&
    isPast(run.startedAt) &&
    isPast(run.heartbeatAt) &&
    isPast(run.endedAt) &&
    (result === undefined || typeof result === 'string') &&
    (deadContext === undefined || typeof deadContext === 'string') &&
    (previousDelayMs === undefined || (isNumber(previousDelayMs) && previousDelayMs >= 0)) &&
    (isDisposable === undefined || typeof isDisposable === 'boolean') &&
    (runAt === undefined || isNumber(runAt))
  );
}

/** Returns whether the value is a whole number from 0. */
function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Returns whether an instant is absent or finite. */
export function isPast(at: unknown): boolean {
  return at === undefined || Number.isFinite(at);
}

/** Returns whether more has happened to a run than that it was started and has ended. */
export function hasPast(run: Run): boolean {
  const { failures, stalls, releases, rateLimits, redrives, resetEpoch, resetAt, previousDelayMs } = run;
  if (failures + stalls + releases + rateLimits + redrives + resetEpoch > 0) return true;
  return run.errors.length > 0 || previousDelayMs !== undefined || resetAt !== undefined;
}

/** Whether a stored value is right. It takes any value. */
export type StoredCheck = (value: unknown) => boolean;

/** The next settlement of the run would be refused again and again with anything else. */
export const HISTORY_CHECKS: Readonly<Record<HistoryField, StoredCheck>> = {
  ...each(RUN_COUNTERS, isCount),
  ...each(fieldsOf('length'), isAmount),
  ...each(fieldsOf('context'), (value) => typeof value === 'string'),
  resetAt: isPast,
  errors: (value) => Array.isArray(value) && value.every(isAttemptError),
};

/**
 * Reads JSON text that a broker has written: the fields that have a check, with errors unpacked. Returns `undefined` for a text that is
 * no object, or has a wrong value.
 */
export function readStored<Key extends keyof Run>(
  text: string,
  checks: Readonly<Record<Key, StoredCheck>>,
): Partial<Pick<Run, Key>> | undefined {
  const stored = parseObject(text);
  if (stored === undefined) return undefined;
  if (Array.isArray(stored['errors'])) stored['errors'] = unpackErrors(stored['errors']);
  for (const key of Object.keys(stored)) {
    if (!Object.hasOwn(checks, key)) delete stored[key];
    else if (!checks[key as Key](stored[key])) return undefined; // its own key
  }
  return stored as Partial<Pick<Run, Key>>; // each key has been checked
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined; // checked just now
  } catch {
    return undefined;
  }
}

function each<Key extends string>(keys: readonly Key[], check: StoredCheck): Record<Key, StoredCheck> {
  return Object.fromEntries(keys.map((key) => [key, check])) as Record<Key, StoredCheck>; // each of them
}

function isAmount(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) >= 0;
}
