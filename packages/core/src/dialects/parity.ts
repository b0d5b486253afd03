/**
 * The formulas and decisions of other systems, as in their own sources. Tests use them to prove that the dialects behave
 * as those systems do; an application does not need them.
 */
export type { CeleryInterval } from './celery/interval.ts';
export { celeryInterval } from './celery/interval.ts';
export type { CeleryRetry, CeleryRetryCall, CelerySchedule, CeleryWhen } from './celery/retry.ts';
export { celeryMessageEta, celeryRetry } from './celery/retry.ts';
export type {
  CmdxGate,
  CmdxGateTest,
  CmdxStrategyCall,
  CmdxStrategyLike,
  CmdxVersion,
} from './cmdx/options.ts';
export type { CmdxBuiltIn } from './cmdx/strategy.ts';
export type { StartCounters, StartDecision } from './fluid/dequeue.ts';
export { decideStart, requeueDelay } from './fluid/dequeue.ts';
export type { JobbersStrategy, JobbersVersion } from './jobbers/options.ts';
export type { ExceptionLike } from './read-exceptions.ts';
export { taskerDelay } from './tasker/from-tasker.ts';
export type { TaskerBackoff } from './tasker/options.ts';
export { taskerServerDelay } from './tasker/server-delay.ts';
export type { TaskerFallback, TaskerReadiness, TaskerStep, TaskerTimes } from './tasker/step.ts';
export { taskerAfterError, taskerNextRetryAt, taskerReadiness } from './tasker/step.ts';
