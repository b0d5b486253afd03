import type { Policy } from '@retry/core';
import { InvalidOptionsError, isPolicy } from '@retry/core';
import type { TaskOptions } from '@retry/core/dialects';
import { writtenIn } from '@retry/core/fields';
import type { TaskInput } from './task.ts';

/** The task options that a dialect sets. */
export type DialectTask = Omit<TaskInput<never, never>, 'name' | 'version' | 'run' | 'schema'> &
  Partial<Pick<TaskInput<never, never>, 'name' | 'version'>>;

/**
 * Returns the task options for another system's options: spread them into `defineTask`.
 *
 * `onUnknown` is about other versions of the task. If that system drops tasks of unknown names as well, pass the option to
 * the worker, too: `createWorker({ onUnknown: dialect.task.onUnknown })`.
 *
 * @param dialect - the result of `fromJobbers` or another function of `@retry/core/dialects`
 * @throws {InvalidOptionsError} for anything else
 */
export function taskFrom(dialect: { readonly policy: Policy; readonly task: TaskOptions }): DialectTask {
  checkDialect(dialect);
  const { timeoutMs: _, heartbeatMs, minRequeueDelayMs, onShutdown, ...same } = dialect.task;
  return {
    ...same,
    retry: dialect.policy,
    ...(heartbeatMs !== undefined && { heartbeat: heartbeatMs }),
    ...(minRequeueDelayMs !== undefined && { minRequeueDelay: minRequeueDelayMs }),
    ...(onShutdown !== undefined && SHUTDOWN[onShutdown]),
  };
}

/** @throws {InvalidOptionsError} for anything but a dialect's result, such as its options or its policy alone */
function checkDialect(dialect: unknown): void {
  const { policy, task } = writtenIn(dialect, ['policy', 'task']) ?? {};
  if (isPolicy(policy) && writtenIn(task) !== undefined) return;
  const cure = 'Use taskFrom(fromCelery({ … })), or another of @retry/core/dialects.';
  const problem = { path: 'dialect', value: dialect, message: 'must be the result of a dialect', cure };
  throw new InvalidOptionsError([problem], 'taskFrom');
}

/** Our options for the dialects' words. */
const SHUTDOWN = {
  resubmit: { onShutdown: 'release' },
  stop: { onShutdown: 'stall' },
  continue: { onShutdown: 'finish', shutdownTimeout: 'Infinity' },
} as const satisfies Record<NonNullable<TaskOptions['onShutdown']>, DialectTask>;
