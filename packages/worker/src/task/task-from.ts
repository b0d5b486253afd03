import type { Policy } from '@retry/core';
import type { TaskOptions } from '@retry/core/dialects';
import type { TaskInput } from './task.ts';

/** The part of a task that a dialect knows. */
export type DialectTask = Omit<TaskInput<never, never>, 'name' | 'version' | 'run' | 'schema'>;

/**
 * What another system's options make of a task: spread it into `defineTask`. `onUnknown` is the worker's own
 * option, and no broker of ours hands a run out early, so `minRequeueDelayMs` has nothing to do.
 *
 * @param dialect - the result of `fromJobbers` and its kin
 */
export function taskFrom(dialect: { readonly policy: Policy; readonly task: TaskOptions }): DialectTask {
  const { timeoutMs, heartbeatMs, onUnknown: _, minRequeueDelayMs: __, ...same } = dialect.task;
  return {
    ...same,
    retry: dialect.policy,
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    ...(heartbeatMs !== undefined && { heartbeat: heartbeatMs }),
  };
}
