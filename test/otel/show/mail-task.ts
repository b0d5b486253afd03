import type { Task, TaskContext } from '@retry/worker';
import { defineTask } from '@retry/worker';

/** The task that both processes of `npm run trace:otel` share. */
export function createMailTask(run: (ctx: TaskContext) => Promise<void>): Task<string, void> {
  return defineTask({
    name: 'mail',
    retry: { maxAttempts: 3, backoff: { type: 'constant', base: 150 }, jitter: 'none' },
    run: (_, ctx) => run(ctx),
  });
}
