export { disposedBy } from '../async-dispose.ts';
export { CountedFailure } from '../budget/retry-budget.ts';
export { decideBy } from '../decision/decide.ts';
export { isAmbiguous, mayBeApplied } from '../decision/judge.ts';
export { askRandom } from '../delay/backoff.ts';
export { durationMs, hasCalendarDay } from '../duration.ts';
export { markCutFor, wasCutFor } from '../markers.ts';
export { isYes, refusePromise } from '../matching/answer.ts';
export { findMatch, isErrorClass } from '../matching/find-match.ts';
export type { ErrorPattern } from '../matching/matcher.ts';
export { definePlainPolicy } from '../policy/define-policy.ts';
export type { CapAt, ErrorDelays, Jitter, SharesOfDelay, TimesAroundDelay } from '../policy/delays.ts';
export type { PolicyKey, PolicySettings } from '../policy/policy.ts';
export {
  allowedAttempts,
  policyOf,
  settingsOf,
  withoutErrorRules,
  withoutMatchers,
  withSettings,
} from '../policy/settings.ts';
export { isList, isListOf, MAX_ITEMS, read } from '../read.ts';
export { keyMeantBy, POLICY_KEYS } from './cures.ts';
export type { Fields, Report } from './fields.ts';
export { readFields, writtenIn } from './fields.ts';
export { readOptions } from './read-options.ts';
export type { Synonyms } from './synonyms.ts';
export { QUEUE_SYNONYMS } from './synonyms.ts';
export {
  A_CLOCK,
  A_FUNCTION,
  A_SIGNAL,
  countFrom,
  hasMethods,
  integerBetween,
  integerFrom,
  isAsync,
  isGenerator,
  isSynchronous,
} from './value-rules.ts';
export { withCause } from './with-cause.ts';
