import type { Policy } from '@retry/core';
import { InvalidOptionsError, isPolicy } from '@retry/core';
import type { TaskOptions } from '@retry/core/dialects';
import { writtenIn } from '@retry/core/fields';
import type { TaskInput } from './task.ts';

/** The part of a task that a dialect knows. */
export type DialectTask = Omit<TaskInput<never, never>, 'name' | 'version' | 'run' | 'schema'> &
  Partial<Pick<TaskInput<never, never>, 'name' | 'version'>>;

/**
 * Returns the task options that behave as another system's options do. Spread them into `defineTask`.
 *
 * `onUnknown` is about other versions of the task. Where that system drops tasks of unknown names, too, give the worker the
 * same: `createWorker({ onUnknown: dialect.task.onUnknown })`.
 *
 * @param dialect - the result of `fromJobbers` or another dialect
 * @throws {InvalidOptionsError} for anything else
 */
export function taskFrom(dialect: { readonly policy: Policy; readonly task: TaskOptions }): DialectTask {
  checkDialect(dialect);
  const { heartbeatMs, minRequeueDelayMs, onShutdown, ...same } = dialect.task;
  return {
    ...same,
    retry: dialect.policy,
    ...(heartbeatMs !== undefined && { heartbeat: heartbeatMs }),
    ...(minRequeueDelayMs !== undefined && { minRequeueDelay: minRequeueDelayMs }),
    ...(onShutdown !== undefined && SHUTDOWN[onShutdown]),
  };
}

/** @throws {InvalidOptionsError} for what is no result of a dialect: the options themselves, or their policy */
function checkDialect(dialect: unknown): void {
  const { policy, task } = writtenIn(dialect, ['policy', 'task']) ?? {};
  if (isPolicy(policy) && writtenIn(task) !== undefined) return;
  const cure = 'Use taskFrom(fromCelery({ … })), or another of @retry/core/dialects.';
  const problem = { path: 'dialect', value: dialect, message: 'must be the result of a dialect', cure };
  throw new InvalidOptionsError([problem], 'taskFrom');
}

/** What a stopping worker does: a dialect's word, and the options of a task that do the same. */
const SHUTDOWN = {
  resubmit: { onShutdown: 'release' },
  stop: { onShutdown: 'stall' },
  continue: { onShutdown: 'finish', shutdownTimeout: 'Infinity' },
} as const satisfies Record<NonNullable<TaskOptions['onShutdown']>, DialectTask>;
