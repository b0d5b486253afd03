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
import type { WorkerHarness } from './worker-scene.ts';
import { useWorkerScene } from './worker-scene.ts';

/** What a broker provides for workers to be tested on it. */
export interface WorkerOnBroker {
  /** Opens a queue without runs; called for each test. */
  readonly open: () => Promise<WorkerHarness>;
}

/**
 * What workers and queues do over any broker, from end to end: written once, run on each of them, in real time with
 * short durations. Every test ends with an audit.
 */
export function describeWorkerOnBroker(name: string, { open }: WorkerOnBroker): void {
  describe(name, () => {
    const scene = useWorkerScene(open);
    const parts = [
      describeAttempts,
      describeDeadLetters,
      describeInterruptions,
      describeLimits,
      describeOperating,
      describeReplays,
      describeSharing,
      describeStores,
      describeSubmitting,
      describeWaiting,
    ];
    for (const describePart of parts) describePart(scene);
  });
}
