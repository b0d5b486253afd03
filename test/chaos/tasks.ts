import { setTimeout as rest } from 'node:timers/promises';
import type { TaskContext } from '@retry/worker';
import { defineTask } from '@retry/worker';
import type { Deed } from './plan.ts';

const policy = { maxAttempts: 100, backoff: { type: 'constant', base: 50 } } as const;

/** The tasks of the chaos. @param note - is called when a handler starts */
export function chaosTasks(note: (deed: Deed) => void) {
  const work = async ({ id, epoch }: TaskContext): Promise<void> => {
    note({ type: 'start', id, epoch, at: Date.now() });
    await rest(5 + Math.random() * 60);
  };
  return {
    /** Of the runs, every tenth fails once, and every seventh is given back by its first claim. */
    plain: defineTask({
      name: 'chaos',
      maxStalls: 100,
      maxReleases: 1_000,
      retry: policy,
      run: async (number: number, context) => {
        await work(context);
        if (number % 7 === 0 && context.epoch === 1) context.release({ delay: 20, reason: 'chaos' });
        if (number % 10 === 0 && context.attempt === 1) throw new Error('fails once');
        return number;
      },
    }),
    /** Submitted with unique keys all the time. */
    unique: defineTask({
      name: 'chaos-unique',
      maxStalls: 100,
      retry: policy,
      run: async (key: string, context) => {
        await work(context);
        return key;
      },
    }),
  };
}
