import type { System } from './system.ts';

/** The systems that are compared, by name. A process loads only the one that it runs. */
export const SYSTEMS = {
  thread: async () => (await import('./retry.ts')).retry({}),
  'thread, short maxBlock': async () => {
    const [{ retry }, { MAX_BLOCK_MS }] = await Promise.all([import('./retry.ts'), import('./plan.ts')]);
    return retry({ maxBlock: MAX_BLOCK_MS });
  },
  loop: async () => (await import('./retry.ts')).retry({ leaseRenewal: 'loop' }),
  BullMQ: async () => (await import('./bullmq.ts')).bullmq,
} satisfies Record<string, () => Promise<System>>;

export type SystemName = keyof typeof SYSTEMS;
