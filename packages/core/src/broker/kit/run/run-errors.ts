import type { AttemptError, Run } from '../../run.ts';

/** How many errors a run keeps, the latest: one that keeps failing must not grow without limit. */
export const MAX_ERRORS = 20;

/** Returns the errors of a run with one more: the latest 20, of which only the last has its stack. */
export function addError(errors: readonly AttemptError[], error: AttemptError): readonly AttemptError[] {
  return [...errors.map(withoutStack), error].slice(-MAX_ERRORS);
}

/** Returns the trace context of the latest attempt of a run that failed, also where a redrive has reset its errors. */
export function latestContext({
  errors,
  deadContext,
}: Pick<Run, 'errors' | 'deadContext'>): string | undefined {
  return errors.length === 0 ? deadContext : errors.at(-1)?.context;
}

function withoutStack(error: AttemptError): AttemptError {
  if (error.stack === undefined) return error;
  const { stack: _, ...kept } = error;
  return kept;
}

/**
 * An error of a run as brokers store it. Errors are most of the record of a run that fails, and the record is read and written
 * with every move: without the names of its fields an error takes half of the space.
 *
 * `startedAgo` is how long before `at` its attempt started, in milliseconds. `null` where it has no such field.
 */
export type PackedError = readonly [
  epoch: number,
  at: number,
  name: string,
  message: string,
  startedAgo: number | null,
  durationMs: number | null,
  worker: string | null,
  reason: AttemptError['reason'] | null,
  rest?: PackedRest,
];

type PackedField = 'epoch' | 'at' | 'name' | 'message' | 'durationMs' | 'worker' | 'reason';

/** The fields that few errors have; and a start that is not exact as a time before `at`. */
type PackedRest = Omit<AttemptError, PackedField>;

/** Where the rest is in a {@link PackedError}. A stack is there. */
export const PACKED_REST = 8;

/** Returns errors in the form that brokers store. */
export function packErrors(errors: readonly AttemptError[]): readonly PackedError[] {
  return errors.map(packError);
}

/**
 * Returns errors that were stored. Nothing is checked: a field that no broker has written is as it is, and an error that is not
 * packed is returned unchanged, as scripts of servers write some.
 */
export function unpackErrors(stored: readonly unknown[]): readonly unknown[] {
  return stored.map(unpackError);
}

/** Returns whether the value is an error of a run that the next settlement of the run would be accepted with. */
export function isAttemptError(value: unknown): value is AttemptError {
  const error = Object(value) as Partial<Record<keyof AttemptError, unknown>>; // each field is checked
  const { epoch, at, name, message, stack = '', worker = '', reason = '', context = '' } = error;
  const { startedAt = 0, durationMs = 0, stalledWith = 0, status = 0 } = error;
  const isText = [name, message, stack, worker, reason, context].every((text) => typeof text === 'string');
  const isTimed = [at, startedAt, status].every(Number.isFinite);
  const isLong = [durationMs, stalledWith].every((amount) => Number.isFinite(amount) && Number(amount) >= 0);
  return isText && isTimed && isLong && Number.isSafeInteger(epoch);
}

function packError(error: AttemptError): PackedError {
  const { epoch, at, name, message, durationMs = null, worker = null, reason = null, startedAt } = error;
  const startedAgo = startedAt === undefined ? null : exactTime(startedAt, at);
  const inexactStart = startedAgo === null ? startedAt : undefined;
  const { stack, code, causeCode, status, retryAfterMs, stalledWith, isRedacted, unrecorded } = error;
  const rare = stalledWith ?? isRedacted ?? unrecorded ?? error.context;
  const first = stack ?? code ?? causeCode ?? status ?? retryAfterMs ?? rare;
  if ((first ?? inexactStart) === undefined)
    return [epoch, at, name, message, startedAgo, durationMs, worker, reason];
  const rest = {
    startedAt: inexactStart,
    stack,
    code,
    causeCode,
    status,
    retryAfterMs,
    stalledWith,
    isRedacted,
    unrecorded,
    context: error.context,
  } satisfies Record<keyof PackedRest, unknown>;
  return [epoch, at, name, message, startedAgo, durationMs, worker, reason, rest];
}

/** A literal and indices: they take a tenth of the time of adding fields one by one, and each claim of a run that failed passes here. */
function unpackError(stored: unknown): unknown {
  if (!Array.isArray(stored)) return stored;
  const at: unknown = stored[1];
  const startedAgo: unknown = stored[4];
  const error = {
    epoch: stored[0],
    at,
    name: stored[2],
    message: stored[3],
    startedAt: typeof startedAgo === 'number' ? Number(at) - startedAgo : undefined,
    durationMs: stored[5] ?? undefined,
    worker: stored[6] ?? undefined,
    reason: stored[7] ?? undefined,
  };
  const isWhole =
    typeof startedAgo === 'number' && stored[5] != null && stored[6] != null && stored[7] != null;
  const known = isWhole ? error : withoutUnknown(error);
  return stored.length > PACKED_REST ? Object.assign(known, stored[PACKED_REST]) : known;
}

/** Few errors lack a fact: those of lost workers, and of operators. */
function withoutUnknown(error: object): object {
  return Object.fromEntries(Object.entries(error).filter(([, fact]) => fact !== undefined));
}

/** Returns the time from a start to an instant, if the start can be had from it again. */
function exactTime(startedAt: number, at: number): number | null {
  const time = at - startedAt;
  return at - time === startedAt ? time : null;
}
