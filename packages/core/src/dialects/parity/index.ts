/**
 * The formulas and decisions of other systems, as in their own sources. Tests use them to prove that the dialects behave
 * as those systems do; an application does not need them.
 */

export type {
  CmdxGate,
  CmdxGateTest,
  CmdxStrategyCall,
  CmdxVersion,
} from '../cmdx/options.ts';
export type { CmdxBuiltIn } from '../cmdx/strategy.ts';
export { taskerDelay } from '../systems/tasker.ts';
export { celeryInterval } from './celery-interval.ts';
export type { CeleryRetryCall, CeleryWhen } from './celery-retry.ts';
export { celeryMessageEta, celeryRetry } from './celery-retry.ts';
export { decideStart, requeueDelay } from './fluid-dequeue.ts';
export { taskerServerDelay } from './tasker-server-delay.ts';
export type { TaskerFallback, TaskerReadiness, TaskerStep, TaskerTimes } from './tasker-step.ts';
export { taskerAfterError, taskerNextRetryAt, taskerReadiness } from './tasker-step.ts';
