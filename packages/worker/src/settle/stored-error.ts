import type { AttemptError, Run } from '@retry/core/broker';
import type { RunDraft } from '@retry/core/broker/kit';
import { addError, copyRun, hideSecrets } from '@retry/core/broker/kit';
import type { AttemptReason, ErrorFacts } from '@retry/core/failures';
import { readErrorFacts } from '@retry/core/failures';
import type { ErrorText } from '../error-text.ts';
import { clip, errorText, storable } from '../error-text.ts';

/**
 * Returns what of a thrown value is stored with its run; by default its name, message, stack and codes. Status and the delay that
 * a server asked for are numbers, and stored in any case.
 */
export type Redact = (error: unknown) => ErrorText;

/** What is known of the attempts of a worker besides their errors. */
export interface AttemptFacts {
  /** Now by the broker's clock, in epoch milliseconds. */
  readonly now: number;
  /** How long the attempt took, in milliseconds, if that is known. */
  readonly attemptMs?: number | undefined;
  /** The name of the worker that made it, if that is known. */
  readonly worker?: string | undefined;
  /** What of an error is stored. @default its name, message, stack and codes */
  readonly redact?: Redact | undefined;
}

/** An attempt that failed. */
interface Failure {
  readonly error: unknown;
  /** The next attempt follows immediately. */
  readonly isFollowed: boolean;
  readonly reason: AttemptReason;
}

/** The longest name of a worker in an error, in UTF-16 units: that of a UUID and a host's is shorter. */
const MAX_WORKER_LENGTH = 128;

/**
 * Returns a copy of the run with the error of its attempt. The stack is stored only when the run ends or has to wait: formatting it
 * would otherwise take longer than the attempt.
 */
export function failedRun(
  run: Run<'started'>,
  { error, isFollowed, reason }: Failure,
  { now: at, attemptMs, worker, redact }: AttemptFacts,
): RunDraft<'started'> {
  const context = attemptContextOf(run);
  const stored: AttemptError = {
    epoch: run.epoch,
    at,
    ...storedError(error, redact, { at, stackIs: isFollowed ? 'dropped' : 'kept' }),
    startedAt: run.startedAt,
    durationMs: attemptMs === undefined ? undefined : Math.max(Math.round(attemptMs), 0),
    worker: worker === undefined ? undefined : clip(worker, MAX_WORKER_LENGTH),
    reason,
    ...(context === undefined ? {} : { context }),
  };
  const failed = copyRun(run);
  failed.errors = addError(run.errors, wellFormed(stored));
  return failed;
}

const UNREDACTED: ErrorText = {
  name: 'Error',
  message: 'not stored: the redact function of its worker threw, or did not return { name, message }',
};

/** What is stored of an error. */
interface StoredError extends ErrorText, ErrorFacts {
  /** Present where it has a code that `redact` withheld. */
  readonly isRedacted?: true;
}

/**
 * Returns what is stored of an error: text of bounded length, and facts. Never throws; if `redact` fails, nothing of the error is
 * stored.
 */
export function storedError(
  error: unknown,
  redact: Redact | undefined,
  { at, stackIs }: { readonly at: number; readonly stackIs: 'kept' | 'dropped' },
): StoredError {
  const facts = readErrorFacts(error, at);
  if (redact === undefined) return withFacts(errorText(error, stackIs), facts);
  try {
    const { stack, ...given } = readRedacted(redact(error));
    const { code: _, causeCode: __, ...numbers } = facts;
    return {
      ...given,
      ...numbers,
      ...(stackIs === 'kept' && stack !== undefined && { stack }),
      ...(isWithheld(facts, given) && { isRedacted: true }),
    };
  } catch {
    return { ...UNREDACTED, isRedacted: true };
  }
}

/** Returns name and message of an error, as they are stored, in one text; see {@link storedError}. */
export function storedLine(error: unknown, redact: Redact | undefined): string {
  const { name, message } = storedError(error, redact, { at: 0, stackIs: 'dropped' });
  return `${name}: ${message}`;
}

const TEXTS = [
  'name',
  'message',
  'stack',
  'code',
  'causeCode',
  'worker',
] as const satisfies readonly (keyof AttemptError)[];

/** Returns an error with texts that every broker can store. */
export function wellFormed<Stored extends Partial<AttemptError>>(error: Stored): Stored {
  let formed = error;
  for (const key of TEXTS) {
    const text = error[key];
    const kept = typeof text === 'string' ? storable(text) : text;
    if (kept !== text) formed = { ...formed, [key]: kept };
  }
  return formed;
}

function isWithheld(facts: ErrorFacts, given: ErrorText): boolean {
  return (
    (facts.code !== undefined && given.code === undefined) ||
    (facts.causeCode !== undefined && given.causeCode === undefined)
  );
}

/** Checks what a user's `redact` returned. @throws {TypeError} when it is not an error text */
function readRedacted(given: unknown): ErrorText {
  if (given instanceof Promise) given.catch(() => {});
  const { name, message, stack } = given as Partial<Record<keyof ErrorText, unknown>>; // each field is checked below
  if (typeof name !== 'string' || typeof message !== 'string') throw new TypeError('not an error text');
  const { code, causeCode } = readErrorFacts(given, 0);
  const text = { name: clip(name), message: clip(message), ...codesOf({ code, causeCode }) };
  return typeof stack === 'string' ? { ...text, stack: clip(stack) } : text;
}

/** Most errors have none. */
function withFacts(text: ErrorText, facts: ErrorFacts): StoredError {
  for (const _ in facts) return { ...text, ...facts, ...codesOf(facts) };
  return text;
}

/** Codes without secrets. */
function codesOf({ code, causeCode }: ErrorFacts): Pick<ErrorText, 'code' | 'causeCode'> {
  return {
    ...(code !== undefined && { code: withoutSecrets(code) }),
    ...(causeCode !== undefined && { causeCode: withoutSecrets(causeCode) }),
  };
}

function withoutSecrets(code: string | number): string | number {
  return typeof code === 'number' ? code : hideSecrets(code);
}

/** The trace contexts of attempts whose handlers are observed. */
const contexts = new WeakMap<Run, string>();

/** The longest context of an attempt that is stored with its error, in bytes. */
const MAX_BYTES = 512;

/** Keeps the trace context that a subscriber gave to an attempt; one that is no text, or too long, is not kept. */
export function keepAttemptContext(run: Run, context: unknown): void {
  if (typeof context === 'string' && context !== '' && Buffer.byteLength(context) <= MAX_BYTES)
    contexts.set(run, context);
}

/** Returns the trace context of an attempt, to be stored with its error. */
function attemptContextOf(run: Run): string | undefined {
  return contexts.get(run);
}
