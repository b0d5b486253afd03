export type {
  Budget,
  BudgetEvent,
  BudgetState,
  BudgetStep,
  RatioBudget,
  ThrottleBudget,
  TokenBucket,
} from './budget/budget.ts';
export type { BudgetInput } from './budget/define-budget.ts';
export { defineBudget } from './budget/define-budget.ts';
export { allowsRetry, openBudget, stepBudget } from './budget/step-budget.ts';
export type { CancelTimer, Clock, Timers } from './clock.ts';
export { createClock } from './clock.ts';
export type { Counters } from './decision/counters.ts';
export { chargedAttempts } from './decision/counters.ts';
export { decide } from './decision/decide.ts';
export type {
  BudgetView,
  Decision,
  DecisionContext,
  FailReason,
  Failure,
  ServerDelay,
} from './decision/decision.ts';
export { isEligible } from './decision/eligibility.ts';
export type { HeaderSource } from './decision/parse-server-delay.ts';
export { parseServerDelay } from './decision/parse-server-delay.ts';
export { readServerDelay } from './decision/read-server-delay.ts';
export { computeDelay } from './delay/compute-delay.ts';
export { delayBounds } from './delay/delay-bounds.ts';
export type { Duration, DurationUnit } from './duration.ts';
export { formatDuration, MAX_INSTANT_AT, parseDuration } from './duration.ts';
export type { Problem, RetryErrorCode } from './errors.ts';
export { InvalidOptionsError, isRetryError, RetryError } from './errors.ts';
export {
  AttemptTimeoutError,
  isNonRetryable,
  NonRetryableError,
  RetryAfterError,
  TotalTimeoutError,
} from './markers.ts';
export type {
  ErrorClass,
  ErrorPattern,
  ErrorPatternInput,
  Matcher,
  MatcherInput,
  Predicate,
} from './matching/matcher.ts';
export {
  httpTransient,
  postgresTransient,
  redisTransient,
  transientNetwork,
} from './matching/matcher-sets.ts';
export { matchesError } from './matching/matches-error.ts';
export type { Explanation } from './plan/explain.ts';
export { explain } from './plan/explain.ts';
export type { LintCode, LintWarning } from './plan/lint-policy.ts';
export { lintPolicy } from './plan/lint-policy.ts';
export type { Preview, PreviewOptions, RetryPreview } from './plan/preview.ts';
export { preview } from './plan/preview.ts';
export type { DurationRange as Span } from './plan/span.ts';
export { definePolicy, isPolicy } from './policy/define-policy.ts';
export { extendPolicy } from './policy/extend-policy.ts';
export { parsePolicy } from './policy/parse-policy.ts';
export type {
  Backoff,
  BackoffInput,
  CapAt,
  DelayContext,
  DelayStrategy,
  DelayStrategyLike,
  Gate,
  GateContext,
  GateLike,
  Jitter,
  JitterInput,
  Policy,
  PolicyInput,
  Registry,
  RetryAfterMode as ServerDelayMode,
} from './policy/policy.ts';
export { isSerializable, policyToJSON } from './policy/policy-to-json.ts';
export { TASK_POLICY } from './policy/task-policy.ts';
export type { VirtualClock, VirtualClockOptions } from './virtual-clock.ts';
export { createVirtualClock } from './virtual-clock.ts';
