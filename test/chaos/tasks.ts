import { setTimeout as rest } from 'node:timers/promises';
import type { TaskContext } from '@retry/worker';
import { defineTask } from '@retry/worker';
import type { Deed } from './plan.ts';

const policy = { maxAttempts: 100, backoff: { type: 'constant', base: 50 } } as const;

/** How many attempts a run has that dies, those included that it brings along. */
export const MORTAL_ATTEMPTS = 3;

/** What runs die of. */
const CAUSES = ['ENORTH', 'EEAST', 'ESOUTH', 'EWEST', 'ECENTRE'] as const;

/** Of how many causes runs no longer die once they are mended. */
const MENDED_CAUSES = 2;

/** What the run of this number dies of. */
export function failureOf(number: number): Error & { readonly code: string } {
  const code = CAUSES[number % CAUSES.length] ?? '';
  return Object.assign(new Error(`no answer to request ${number}`), { code });
}

/**
 * The tasks of the chaos.
 *
 * @param note - is called when a handler starts
 * @param isMended - whether the first causes are mended
 */
export function chaosTasks(note: (deed: Deed) => void, isMended: () => boolean) {
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
    /** Dies of one of several causes, until that is mended. */
    mortal: defineTask({
      name: 'chaos-mortal',
      maxStalls: 100,
      retry: { ...policy, maxAttempts: MORTAL_ATTEMPTS },
      run: async (number: number, context) => {
        await work(context);
        if (number % CAUSES.length >= MENDED_CAUSES || !isMended()) throw failureOf(number);
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
