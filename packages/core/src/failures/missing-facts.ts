import { isErrorClass, matches } from '../matching/find-match.ts';
import type { ErrorPattern, Matcher } from '../matching/matcher.ts';
import type { PolicySettings } from '../policy/policy.ts';
import type { RecordedAttempt } from './recorded-attempt.ts';
import { errorOf } from './recorded-error.ts';
import type { KnownAttempt, KnownRun } from './recorded-run.ts';

/** A fact that a policy asks for and that was not recorded. */
export type MissingFact =
  /** Earlier attempts: only the latest ones were kept. */
  | 'attempts'
  /** How long an attempt took. It counts as 0. */
  | 'durationMs'
  | 'code'
  | 'status'
  | 'retryAfterMs'
  /** The classes above the error's own: a matcher names another one, which may be one of them. */
  | 'class'
  /** The causes, but for a code. */
  | 'cause'
  /** The error itself: a predicate, a gate or a strategy is asked about the recorded facts instead. */
  | 'error'
  /** The delay that the handler asked for; the policy's own counts instead. */
  | 'requestedDelay';

/** Returns what is missing of a run, whatever the policy is. */
export function missingTimes({ attempts, before }: KnownRun): readonly MissingFact[] {
  const isTimed = attempts.every(({ durationMs }) => durationMs !== undefined);
  return [
    ...(before.failures + before.stalls > 0 ? (['attempts'] as const) : []),
    ...(isTimed ? [] : (['durationMs'] as const)),
  ];
}

/** Returns what a decision about a recorded attempt has to do without. */
export function missingFacts(policy: PolicySettings, attempt: KnownAttempt): readonly MissingFact[] {
  // No rule about errors is asked.
  if (attempt.reason === 'ended' || attempt.end !== 'failure') return [];
  if (attempt.reason === 'asked') return ['requestedDelay'];
  const error = errorOf(attempt);
  const { retryOn, stopOn, retryIf, backoff, retryAfter } = policy;
  const expected = typeof retryOn === 'string' ? [] : retryOn;
  const asksForDelay = retryAfter.mode !== 'ignore' && isUnknown(attempt, 'retryAfterMs');
  const asksForError = retryIf !== undefined || backoff.type === 'custom';
  return [
    ...(asksForDelay ? (['retryAfterMs'] as const) : []),
    ...(asksForError ? (['error'] as const) : []),
    ...[stopOn, expected].flatMap((matchers) =>
      undecided(matchers, error).flatMap((matcher) => missingFor(matcher, attempt, error)),
    ),
  ];
}

/** A matcher that is known to match decides, whatever the others are; but a predicate that is asked before it may throw. */
function undecided(matchers: readonly Matcher[], error: unknown): readonly Matcher[] {
  const first = matchers.findIndex((matcher) => isKnownToMatch(matcher, error));
  return first === -1 ? matchers : matchers.slice(0, first).filter(hasPredicate);
}

function missingFor(matcher: Matcher, attempt: RecordedAttempt, error: unknown): readonly MissingFact[] {
  if (typeof matcher === 'function') {
    if (!isErrorClass(matcher)) return ['error'];
    return isKnownToMatch(matcher, error) ? [] : ['class'];
  }
  const failing = Object.entries(matcher)
    .filter(([, wanted]) => wanted !== undefined)
    .filter(([key, wanted]) => !isKnownToMatch({ [key]: wanted }, error))
    .map(([key]) => missingForKey(key as keyof ErrorPattern, matcher, attempt)); // the keys of a pattern
  // A field that is known not to match decides, whatever the others are.
  return failing.includes(undefined) ? [] : failing.filter((fact) => fact !== undefined);
}

/** Returns what is not known where a field of a pattern does not match; `undefined` if all is. */
function missingForKey(
  key: keyof ErrorPattern,
  { cause, anywhere }: ErrorPattern,
  attempt: RecordedAttempt,
): MissingFact | undefined {
  switch (key) {
    case 'name':
      return 'class';
    case 'code':
    case 'status':
      return isUnknown(attempt, key) ? key : undefined;
    case 'retryAfter':
      return isUnknown(attempt, 'retryAfterMs') ? 'retryAfterMs' : undefined;
    case 'cause':
      return isByCode(cause) && isComplete(attempt) ? undefined : 'cause';
    case 'anywhere':
      return listOf(anywhere).every(isByCode) && isComplete(attempt) ? undefined : 'cause';
    case 'errno':
    case 'sqlState':
    case 'label':
    case 'retryable':
      return 'error';
    case 'unless':
    case 'ambiguous':
    case 'message':
      return undefined;
  }
}

/** The code of the nearest cause is recorded; nothing else of causes is. */
function isByCode(matcher: Matcher | undefined): boolean {
  return typeof matcher === 'object' && Object.keys(matcher).join() === 'code';
}

function listOf(matchers: ErrorPattern['anywhere']): readonly Matcher[] {
  // `Array.isArray` does not narrow a readonly array, hence the assertion.
  return matchers === undefined || Array.isArray(matchers) ? (matchers ?? []) : [matchers as Matcher];
}

/** Asks no predicate: only `decide` does, once. */
function isKnownToMatch(matcher: Matcher, error: unknown): boolean {
  return !hasPredicate(matcher) && matches(matcher, error);
}

function hasPredicate(matcher: Matcher | undefined): boolean {
  if (typeof matcher === 'function') return !isErrorClass(matcher);
  if (matcher === undefined) return false;
  return [matcher.cause, ...listOf(matcher.anywhere), ...listOf(matcher.unless)].some(hasPredicate);
}

function isUnknown(attempt: RecordedAttempt, fact: 'code' | 'status' | 'retryAfterMs'): boolean {
  return attempt[fact] === undefined && !isComplete(attempt);
}

/** A record with a start has all facts that the error had, but for those that were withheld. */
function isComplete({ startedAt, isRedacted = false }: RecordedAttempt): boolean {
  return startedAt !== undefined && !isRedacted;
}
