import { isAmbiguous } from '../decision/judge.ts';
import { isErrorClass, matches } from '../matching/find-match.ts';
import { type ErrorPattern, innerMatchers, type Matcher } from '../matching/matcher.ts';
import type { PolicySettings } from '../policy/policy.ts';
import type { RecordedAttempt, UnrecordedFact } from './recorded-attempt.ts';
import { errorOf, isPrimitive } from './recorded-error.ts';
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
  /** The error itself: a predicate, a gate, a strategy, or a pattern that reads more of it, is asked about the recorded facts instead. */
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
  const { retryOn, stopOn, retryIf, backoff, retryAfter, delays, idempotent } = policy;
  const expected = typeof retryOn === 'string' ? [] : retryOn;
  const asksForDelay = retryAfter.mode !== 'ignore' && isUnknown(attempt, 'retryAfterMs');
  const asksForError = retryIf !== undefined || backoff.type === 'custom';
  return [
    ...(asksForDelay ? (['retryAfterMs'] as const) : []),
    ...(asksForError ? (['error'] as const) : []),
    ...[stopOn, expected, idempotent ? [] : expected.filter(isAmbiguous)].flatMap((matchers) =>
      undecided(matchers, { attempt, error }).flatMap((matcher) => missingFor(matcher, { attempt, error })),
    ),
    ...missingForDelays(delays, { attempt, error }),
  ];
}

/** What was recorded, and the error that is made of it. */
interface Known {
  readonly attempt: RecordedAttempt;
  readonly error: unknown;
}

/** A matcher that is known to match decides, whatever the others are; but a predicate that is asked before it may throw. */
function undecided(matchers: readonly Matcher[], known: Known): readonly Matcher[] {
  const first = matchers.findIndex((matcher) => isKnownToMatch(matcher, known));
  return first === -1 ? matchers : matchers.slice(0, first).filter(hasPredicate);
}

/** The first entry decides: what the ones before it ask for must be known, too. */
function missingForDelays(delays: PolicySettings['delays'], known: Known): readonly MissingFact[] {
  const first = delays.findIndex(({ on }) => on.some((matcher) => isKnownToMatch(matcher, known)));
  const asked = first === -1 ? delays : delays.slice(0, first);
  return asked.flatMap(({ on }) => on.flatMap((matcher) => missingFor(matcher, known)));
}

function missingFor(matcher: Matcher, known: Known): readonly MissingFact[] {
  if (typeof matcher === 'function' && !isErrorClass(matcher)) return ['error'];
  if (isPrimitive(known.attempt) || isKnownToMatch(matcher, known))
    return hasPredicate(matcher) ? ['error'] : [];
  if (typeof matcher === 'function') return ['class'];
  const failing = Object.entries(matcher)
    .filter(([, wanted]) => wanted !== undefined)
    .filter(([key, wanted]) => !isKnownToMatch({ [key]: wanted }, known))
    .map(([key]) => missingForKey(key as keyof ErrorPattern, matcher, known)); // the keys of a pattern
  // A field that is known not to match decides, whatever the others are.
  return failing.some((facts) => facts.length === 0) ? [] : failing.flat();
}

/** Returns what is not known where a field of a pattern is not known to match; nothing if it is known not to. */
function missingForKey(key: keyof ErrorPattern, pattern: ErrorPattern, known: Known): readonly MissingFact[] {
  const { attempt } = known;
  switch (key) {
    case 'cause':
    case 'anywhere':
    case 'unless':
      return missingOfOthers(key, pattern, known);
    case 'name':
      return ['class'];
    case 'code':
      return isUnknown(attempt, 'code') || mayHave(attempt, 'code') ? ['code'] : [];
    case 'status':
      return isUnknown(attempt, 'status') ? ['status'] : [];
    case 'retryAfter':
      return isUnknown(attempt, 'retryAfterMs') ? ['retryAfterMs'] : [];
    case 'errno':
    case 'sqlState':
    case 'label':
    case 'retryable':
      return mayHave(attempt, key) ? ['error'] : [];
    case 'ambiguous':
    case 'message':
      return [];
  }
}

/** Returns what is not known of causes, and of the error by what may match either. */
function missingOfOthers(
  key: 'cause' | 'anywhere' | 'unless',
  { cause, anywhere, unless }: ErrorPattern,
  known: Known,
): readonly MissingFact[] {
  if (key === 'unless') return isVetoUnknown(unless, known.attempt) ? ['cause'] : [];
  const matchers = listOf(key === 'cause' ? cause : anywhere);
  const own = key === 'cause' ? [] : matchers.flatMap((matcher) => missingFor(matcher, known));
  return [...own, ...missingOfCauses(matchers, known.attempt)];
}

function missingOfCauses(matchers: readonly Matcher[], attempt: RecordedAttempt): readonly MissingFact[] {
  if (!mayHave(attempt, 'cause')) return [];
  return matchers.every(isByCode) && isComplete(attempt) ? [] : ['cause'];
}

/** A cause may be one for which the pattern does not match. What its code says is enough. */
function isVetoUnknown(unless: ErrorPattern['unless'], attempt: RecordedAttempt): boolean {
  return unless !== undefined && attempt.causeCode === undefined && mayHave(attempt, 'cause');
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
function isKnownToMatch(matcher: Matcher, { attempt, error }: Known): boolean {
  if (hasPredicate(matcher) || !matches(matcher, error)) return false;
  return typeof matcher === 'function' || !isVetoUnknown(matcher.unless, attempt);
}

function hasPredicate(matcher: Matcher): boolean {
  if (typeof matcher === 'function') return !isErrorClass(matcher);
  return innerMatchers(matcher).some(([, inner]) => hasPredicate(inner));
}

function isUnknown(attempt: RecordedAttempt, fact: 'code' | 'status' | 'retryAfterMs'): boolean {
  return attempt[fact] === undefined && !isPrimitive(attempt) && !isComplete(attempt);
}

/** Returns whether the error had, or may have had, more of what a pattern reads than is recorded. */
function mayHave(attempt: RecordedAttempt, fact: UnrecordedFact): boolean {
  if (isPrimitive(attempt)) return false;
  return !isComplete(attempt) || attempt.unrecorded?.includes(fact) === true;
}

/** A record with a start has all facts that the error had, but for those that were withheld. */
function isComplete({ startedAt, isRedacted = false }: RecordedAttempt): boolean {
  return startedAt !== undefined && !isRedacted;
}
