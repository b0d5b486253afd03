import { describe } from 'vitest';
import { describeAttempts } from './attempts.ts';
import { describeDeadLetters } from './dead-letters.ts';
import { describeInterruptions } from './interruptions.ts';
import { describeLimits } from './limits.ts';
import { describeOperating } from './operating.ts';
import { describeReplays } from './replays.ts';
import { describeSharing } from './sharing.ts';
import { describeStores } from './stores.ts';
import { describeSubmitting } from './submitting.ts';
import { describeWaiting } from './waiting.ts';
import type { WorkerHarness, WorkerScene } from './worker-scene.ts';
import { useWorkerScene } from './worker-scene.ts';

/** What a broker provides for workers to be tested on it. */
export interface WorkerOnBroker {
  /** Opens a queue without runs; called for each test. */
  readonly open: () => Promise<WorkerHarness>;
  /** Only these parts: where another client, which has all of them, sends the same calls. @default all */
  readonly parts?: readonly (keyof typeof PARTS)[];
}

const PARTS = {
  attempts: describeAttempts,
  deadLetters: describeDeadLetters,
  interruptions: describeInterruptions,
  limits: describeLimits,
  operating: describeOperating,
  replays: describeReplays,
  sharing: describeSharing,
  stores: describeStores,
  submitting: describeSubmitting,
  waiting: describeWaiting,
} satisfies Readonly<Record<string, (scene: WorkerScene) => void>>;

/** What depends on a connection: blocking reads, notifications, batches that are divided. */
export const PARTS_OF_CONNECTIONS = [
  'attempts',
  'interruptions',
  'operating',
  'submitting',
  'waiting',
] as const;

/**
 * What workers and queues do over any broker, from end to end: written once, run on each of them, with short durations; on servers in
 * real time. Every test ends with an audit.
 */
export function describeWorkerOnBroker(name: string, { open, parts }: WorkerOnBroker): void {
  const names = parts ?? (Object.keys(PARTS) as (keyof typeof PARTS)[]); // its own keys
  describe(name, () => {
    const scene = useWorkerScene(open);
    for (const part of names) PARTS[part](scene);
  });
}
