import type { Queue } from '@retry/worker';

const EVERY_MS = 150;

/** How many runs are where, at one moment of the demo. */
export type Snapshot = readonly [
  ms: number,
  waiting: number,
  scheduled: number,
  started: number,
  completed: number,
  failed: number,
];

/** Takes a snapshot now and then. @returns a function that takes the last one and gives them all */
export function watchCounts(queue: Queue): () => Promise<readonly Snapshot[]> {
  const startedAt = Date.now();
  const snapshots: Snapshot[] = [];
  const look = async (): Promise<void> => {
    const { submitted, scheduled, started, ended } = await queue.counts();
    snapshots.push([Date.now() - startedAt, submitted, scheduled, started, ended.completed, ended.failed]);
  };
  const timer = setInterval(() => void look(), EVERY_MS);
  return async () => {
    clearInterval(timer);
    await look();
    return snapshots;
  };
}
