import type { FailReason } from '../decision/decision.ts';
import { readServerDelay } from '../decision/read-server-delay.ts';
import { RETRY_AFTER } from '../markers.ts';
import { causesOf } from '../matching/causes.ts';
import { OTHER_CODES } from '../matching/find-match.ts';
import { hasLabels, saysRetryable } from '../matching/retry-hints.ts';
import { statusOf } from '../matching/status-of.ts';
import { read } from '../read.ts';

/** What is recorded of a thrown value besides its name and message: what the rules of a policy read. */
export interface ErrorFacts {
  /** `error.code`, if it is a number or text; at most 64 characters of it. */
  readonly code?: string | number | undefined;
  /** The code of the nearest cause that has one: `fetch` wraps the errors of sockets. */
  readonly causeCode?: string | number | undefined;
  /** The HTTP status. */
  readonly status?: number | undefined;
  /** The delay that the server asked for, in milliseconds; `'refused'`: it forbade a retry. */
  readonly retryAfterMs?: number | 'refused' | undefined;
  /** What the error has besides, and patterns match: what it says of that is not recorded. */
  readonly unrecorded?: readonly UnrecordedFact[] | undefined;
}

/** Keys of a pattern: its causes (but for `causeCode`), another code than `code`, … */
export type UnrecordedFact = 'cause' | 'code' | 'errno' | 'sqlState' | 'label' | 'retryable';

/** Why an attempt was followed by another one, or was the last. */
export type AttemptReason =
  /** The policy allowed a retry. */
  | 'retried'
  /** The policy ended the retrying. */
  | FailReason
  /** The handler asked for another attempt, whether it got one or not. */
  | 'asked'
  /** The worker of the attempt was lost. */
  | 'stalled'
  /** No policy was asked: an operator or the broker ended the run, its payload cannot be read, or it was released too often. */
  | 'ended';

/**
 * One failed attempt as it was recorded. A stored `AttemptError` can be passed as it is: what it lacks is unknown.
 *
 * A record with a `startedAt` is complete, unless it `isRedacted`: a fact that it has not, the error had not.
 */
export interface RecordedAttempt extends ErrorFacts {
  /** The error's `name`; for a thrown value that is no error, its `typeof`. */
  readonly name: string;
  /** What the rules of a policy match as the error's message; workers store its first 8192 characters. */
  readonly message: string;
  /** When it failed, in epoch milliseconds. */
  readonly at: number;
  /** When it started, by the same clock. */
  readonly startedAt?: number | undefined;
  /** How long it took, in milliseconds. @default the time from `startedAt` to `at` */
  readonly durationMs?: number | undefined;
  /** Why another attempt followed, or none. Absent: not known; then the name `StalledError` shows a stall. */
  readonly reason?: AttemptReason | undefined;
  /** The name of the worker that made it. */
  readonly worker?: string | undefined;
  /** How many other runs stalled together with a stalled attempt. Such a stall is not charged. */
  readonly stalledWith?: number | undefined;
  /** The error had a code that a `redact` function withheld. @default false */
  readonly isRedacted?: boolean | undefined;
}

/** A run and its failed attempts, oldest first. A stored run or a `DeadLetter` can be passed as it is. */
export interface RecordedRun {
  /** Passed to strategies and gates, and on to the replay. */
  readonly id?: string | undefined;
  /** Passed to strategies and gates. */
  readonly lane?: string | undefined;
  /** The attempts that were kept: brokers keep the latest 20. */
  readonly errors: readonly RecordedAttempt[];
  /** Failed attempts in all. @default those of `errors` */
  readonly failures?: number | undefined;
  /** Charged stalls in all. @default those of `errors` */
  readonly stalls?: number | undefined;
  /** Charged attempts that it brought along from elsewhere; the errors of the latest of them are among `errors`. @default 0 */
  readonly carried?: number | undefined;
  /** When its first attempt started, in epoch milliseconds. @default `startedAt` of the first error, else its `at` */
  readonly firstStartedAt?: number | undefined;
  /** When its attempts were last reset, by a redrive. */
  readonly resetAt?: number | undefined;
}

/** The longest code that is kept, in UTF-16 units. */
export const MAX_CODE_LENGTH = 64;

/**
 * Returns what is to be recorded of a thrown value besides its name and message. Never throws.
 *
 * @param nowAt - epoch milliseconds, for a `Retry-After` that is a date
 */
export function readErrorFacts(error: unknown, nowAt: number): ErrorFacts {
  if (!mayHaveFacts(error)) return NO_FACTS;
  const code = codeOf(error);
  const causes = causesOf(error);
  const causeCode = readCode(error, 'causeCode') ?? firstCode(causes);
  const status = statusOf(error);
  const asked = readServerDelay(error, nowAt);
  const unrecorded = [...(causes.length > 0 ? (['cause'] as const) : []), ...unrecordedOf(error)];
  return {
    ...(code !== undefined && { code }),
    ...(causeCode !== undefined && { causeCode }),
    ...(Number.isFinite(status) && { status }),
    ...(asked.type === 'delay' && { retryAfterMs: Math.min(asked.delayMs, Number.MAX_SAFE_INTEGER) }),
    ...(asked.type === 'refused' && { retryAfterMs: 'refused' }),
    ...(unrecorded.length > 0 && { unrecorded }),
  };
}

const NO_FACTS: ErrorFacts = {};

function unrecordedOf(error: unknown): readonly UnrecordedFact[] {
  const hasOther = (key: keyof typeof OTHER_CODES): boolean =>
    OTHER_CODES[key].some((name) => read(error, name) !== undefined);
  return [
    ...(['code', 'errno', 'sqlState'] as const).filter(hasOther),
    ...(hasLabels(error) ? (['label'] as const) : []),
    ...(saysRetryable(error) ? (['retryable'] as const) : []),
  ];
}

/**
 * Returns whether there is anything to read. Every failure passes here, and most errors have no enumerable property and none of these,
 * which classes may have as getters; engines read literal names many times faster than keys in a variable.
 */
function mayHaveFacts(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  try {
    const {
      code,
      causeCode,
      cause,
      errors,
      suppressed,
      status,
      statusCode,
      response,
      headers,
      responseHeaders,
      $metadata,
      $response,
      [RETRY_AFTER]: mark,
    } = error as Readonly<Record<PropertyKey, unknown>>; // an object may have any property
    const texts = code ?? causeCode ?? cause ?? errors ?? suppressed;
    const answer = status ?? statusCode ?? response ?? headers ?? responseHeaders ?? $metadata ?? $response;
    if ((texts ?? answer ?? mark) !== undefined) return true;
    for (const key in error) if (!IN_EVERY_RECORD.has(key)) return true;
    return false;
  } catch {
    return true; // one property throws; the others may still be readable
  }
}

const IN_EVERY_RECORD: ReadonlySet<string> = new Set(['name', 'message', 'stack']);

/** Returns the code of an error as it is recorded. */
export function codeOf(error: unknown): string | number | undefined {
  return readCode(error, 'code');
}

/** Returns the code of the nearest cause that has one; of a recorded attempt, the code that was recorded for it. */
export function causeCodeOf(error: unknown): string | number | undefined {
  return readCode(error, 'causeCode') ?? firstCode(causesOf(error));
}

function firstCode(errors: readonly unknown[]): string | number | undefined {
  return errors.map(codeOf).find((code) => code !== undefined);
}

function readCode(error: unknown, key: 'code' | 'causeCode'): string | number | undefined {
  const code = read(error, key);
  if (typeof code === 'number') return Number.isFinite(code) ? code : undefined;
  return typeof code === 'string' && code !== '' ? code.slice(0, MAX_CODE_LENGTH) : undefined;
}
