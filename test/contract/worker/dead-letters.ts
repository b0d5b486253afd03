import type { DeadLetter } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { WorkerScene } from './worker-scene.ts';
import { promiseOf, untilAborted } from './worker-scene.ts';

/** Runs that are submitted for dead letters. */
export function describeDeadLetters(scene: WorkerScene): void {
  describe('a task with deadLetter: { task }', () => {
    const collector = () => {
      const { promise: letters, resolve: note } = promiseOf<DeadLetter<{ order: number }>>();
      const bury = defineTask({
        name: 'bury',
        run: (letter: DeadLetter<{ order: number }>) => note(letter),
      });
      return { letters, bury };
    };

    it('submits a run of it, with the payload and the errors, when a run has failed', async () => {
      const { letters, bury } = collector();
      const charge = defineTask({
        name: 'charge',
        retry: { maxAttempts: 2, backoff: { type: 'constant', base: 10 } },
        run: (_: { order: number }) => {
          throw new TypeError('declined');
        },
        deadLetter: { task: bury },
      });
      const { id } = await scene.queue.submit(charge, { order: 7 });
      await scene.startWorker({ tasks: [charge, bury] });

      const letter = await letters;

      const dead = await scene.reach(id, 'failed');
      expect(letter).toMatchObject({ id, task: 'charge', payload: { order: 7 }, state: 'failed', epoch: 2 });
      expect(letter.errors).toEqual(dead.errors);
      expect(letter.createdAt).toBe(dead.createdAt);
      expect((await scene.queue.deadLetters.list()).runs).toMatchObject([{ id }]);
      expect(await scene.broker.audit()).toMatchObject({ created: 2, unbalanced: 0 });
    });

    it('submits one for a large payload, and for a run whose worker is lost', async () => {
      const { letters, bury } = collector();
      const order = { order: 7, notes: 'é'.repeat(100_000) };
      const charge = defineTask({
        name: 'charge',
        onStall: 'fail',
        run: (_: { order: number }, { signal }) => untilAborted(signal),
        deadLetter: { task: bury },
      });
      const { id } = await scene.queue.submit(charge, order);
      const lanes = new Map([['charge@1', 1]]);
      const claim = { worker: 'lost', requestId: 'r', limit: 1, lanes, leaseMs: 50 };
      expect((await scene.broker.exchange({ claim })).claimed).toHaveLength(1);
      await scene.startWorker({ tasks: [charge, bury], lease: '1s', cleanerInterval: '100ms' });

      const letter = await letters;

      expect(letter).toMatchObject({ id, payload: order, state: 'failed', stalls: 1 });
      await scene.reach(id, 'failed');
    });
  });
}
