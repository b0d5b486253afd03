export type { AsyncDispose } from './async-dispose.ts';
export type { Clock } from './clock.ts';
export type { Counters } from './decision/counters.ts';
export { isEligible } from './decision/counters.ts';
export { decide } from './decision/decide.ts';
export type {
  Decision,
  DecisionContext,
  FailReason,
  Failure,
  ServerDelay,
} from './decision/decision.ts';
export type { HeaderSource } from './decision/parse-server-delay.ts';
export { parseServerDelay } from './decision/parse-server-delay.ts';
export { readServerDelay } from './decision/read-server-delay.ts';
export { computeDelay } from './delay/compute-delay.ts';
export { delayBounds } from './delay/delay-bounds.ts';
export type { Duration } from './duration.ts';
export { formatDuration, MAX_INSTANT_AT, parseDuration } from './duration.ts';
export type { Problem, RetryErrorCode } from './errors.ts';
export { InvalidOptionsError, isRetryError, RetryError } from './errors.ts';
export type { Explanation } from './inspect/explain.ts';
export { explain } from './inspect/explain.ts';
export type { LintCode, LintOptions, LintWarning } from './inspect/lint-policy.ts';
export { LINT_CODES, lintPolicy } from './inspect/lint-policy.ts';
export type { Preview, PreviewOptions } from './inspect/preview.ts';
export { preview } from './inspect/preview.ts';
export type { DurationRange } from './inspect/span.ts';
export type { RetryPreview } from './inspect/walk.ts';
export {
  AttemptTimeoutError,
  isNonRetryable,
  NonRetryableError,
  RetryAfterError,
  TotalTimeoutError,
} from './markers.ts';
export type { ErrorClass, Matcher, MessageGlob, Predicate } from './matching/matcher.ts';
export { matchesError } from './matching/matches-error.ts';
export { definePolicy, isPolicy, TASK_POLICY } from './policy/define-policy.ts';
export type { BackoffInput, ErrorDelaysInput, JitterInput } from './policy/delays.ts';
export { extendPolicy } from './policy/extend-policy.ts';
export type { Policy, PolicyInput, ServerJitterInput } from './policy/policy.ts';
export { isSerializable, parsePolicy, policyToJSON } from './policy/policy-json.ts';
export type {
  DelayContext,
  DelayStrategy,
  DelayStrategyLike,
  Gate,
  GateContext,
  GateLike,
  Registry,
  RunFacts,
} from './policy/strategy.ts';
