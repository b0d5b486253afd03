import type { Queue } from '@retry/worker';

const EVERY_MS = 150;

/** The number of runs per state, at one moment of the demo. */
export type Snapshot = readonly [
  ms: number,
  waiting: number,
  scheduled: number,
  started: number,
  completed: number,
  failed: number,
];

/** Takes a snapshot every 150 ms. @returns a function that takes the last one and returns all */
export function watchCounts(queue: Queue): () => Promise<readonly Snapshot[]> {
  const startedAt = Date.now();
  const snapshots: Snapshot[] = [];
  const take = async (): Promise<void> => {
    const { submitted, scheduled, started, ended } = await queue.counts();
    snapshots.push([Date.now() - startedAt, submitted, scheduled, started, ended.completed, ended.failed]);
  };
  const timer = setInterval(() => void take(), EVERY_MS);
  return async () => {
    clearInterval(timer);
    await take();
    return snapshots;
  };
}
