import type { Broker } from '@retry/core/broker';
import type { TaskContext } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { WorkerScene } from './worker-scene.ts';
import { promiseOf, untilAborted } from './worker-scene.ts';

const IMMEDIATE = { backoff: { type: 'none' }, jitter: 'none' } as const;

/** What ends a handler early. */
export function describeInterruptions(scene: WorkerScene): void {
  describe('interruptions', () => {
    it('cancels a running run by the queue of another process', async () => {
      const reason = promiseOf<unknown>();
      const task = defineTask({
        name: 'long',
        run: async (_: null, { signal }) => {
          signal.addEventListener('abort', () => reason.resolve(signal.reason));
          await untilAborted(signal);
        },
      });
      const { id } = await scene.queue.submit(task, null);
      await scene.startWorker({ tasks: [task], lease: '2s' });
      await scene.reach(id, 'started');
      const other = await scene.openQueue();

      expect(await other.cancel(id)).toBe('requested');

      expect(await reason.promise).toMatchObject({ name: 'CancelledError' });
      expect(await scene.reach(id, 'cancelled')).toMatchObject({ epoch: 1, failures: 0 });
    });

    it('recovers the run of a silent worker by the cleaner of another one, and fences its late outcome', async () => {
      const epochs: number[] = [];
      const called = promiseOf<void>();
      const hold = promiseOf<void>();
      const task = defineTask({
        name: 'long',
        retry: IMMEDIATE,
        run: async (_: null, { epoch }) => {
          epochs.push(epoch);
          called.resolve();
          if (epochs.length === 1) await hold.promise;
          return epoch;
        },
      });
      const { id } = await scene.queue.submit(task, null);
      const cutOff = loseHeartbeats(await scene.connect());
      const silent = await scene.startWorker({ tasks: [task], broker: cutOff, lease: 1_000, concurrency: 1 });
      const fenced = promiseOf<unknown>();
      silent.on('fenced', fenced.resolve);
      const errors = new Set<string>();
      silent.on('error', ({ error }) => void errors.add(String(error)));
      await called.promise;
      // A claim that a slow machine answers after its lease has an epoch, too, and no call.
      const { epoch, stalls } = await scene.reach(id, 'started');
      // Its cleaner first gives every worker the time for a heartbeat, which is a share of this lease.
      await scene.startWorker({ tasks: [task], lease: '5s', cleanerInterval: 50 });

      const run = await scene.reach(id, 'completed');
      hold.resolve();

      expect(await fenced.promise).toMatchObject({ id, epoch });
      expect(errors).toEqual(new Set(['Error: no route']));
      expect(epochs).toEqual([epoch, epoch + 1]);
      expect(run).toMatchObject({
        epoch: epoch + 1,
        stalls: stalls + 1,
        failures: 0,
        result: `${epoch + 1}`,
      });
      expect(await scene.queue.get(id)).toMatchObject({ state: 'completed', result: epoch + 1 });
    });

    it('counts a handler that ignores its timeout in every limit until it returns', async () => {
      const running = { now: 0, most: 0, starts: 0 };
      const task = defineTask({
        name: 'ignoring',
        globalConcurrency: 1,
        retry: { ...IMMEDIATE, maxAttempts: 2, attemptTimeout: 50 },
        run: async () => {
          running.now += 1;
          running.most = Math.max(running.most, running.now);
          running.starts += 1;
          await scene.rest(250);
          running.now -= 1;
        },
      });
      const [first, second] = await scene.queue.submitMany(task, [null, null]);
      await scene.startWorker({ tasks: [task] });
      await scene.startWorker({ tasks: [task] });

      await scene.reach(first?.id ?? '', 'failed');
      await scene.reach(second?.id ?? '', 'failed');

      expect(running).toEqual({ now: 0, most: 1, starts: 4 });
    });

    it('keeps the lease of a long run by heartbeats', async () => {
      const task = defineTask({ name: 'long', run: () => scene.rest(3_500) });
      const { id } = await scene.queue.submit(task, null);
      await scene.startWorker({ tasks: [task], lease: '1.5s', cleanerInterval: 50 });
      await scene.startWorker({ tasks: [defineTask({ name: 'other', run: () => {} })], cleanerInterval: 50 });

      expect(await scene.reach(id, 'completed')).toMatchObject({ epoch: 1, stalls: 0 });
    });

    it.each([
      ['release', { releases: 1, stalls: 0 }],
      ['stall', { releases: 0, stalls: 1 }],
    ] as const)(
      'releases or stalls running runs on shutdown by onShutdown: %s',
      async (onShutdown, expected) => {
        const called = promiseOf<void>();
        const run = (_: null, { epoch, signal }: TaskContext) => {
          called.resolve();
          return epoch === 1 ? untilAborted(signal) : 'done';
        };
        const task = defineTask({ name: 'long', onShutdown, retry: IMMEDIATE, run });
        const { id } = await scene.queue.submit(task, null);
        const worker = await scene.startWorker({ tasks: [task] });
        await called.promise;

        await worker.stop();

        expect(await scene.queue.get(id)).toMatchObject({ ...expected, failures: 0 });
        await scene.startWorker({ tasks: [task] });
        expect(await scene.queue.waitForResult(id)).toBe('done');
      },
    );

    it('lets running runs end on shutdown by onShutdown: finish', async () => {
      const called = promiseOf<void>();
      const run = async (): Promise<void> => {
        called.resolve();
        await scene.rest(150);
      };
      const task = defineTask({ name: 'long', onShutdown: 'finish', run });
      const { id } = await scene.queue.submit(task, null);
      const worker = await scene.startWorker({ tasks: [task] });
      await called.promise;

      await worker.stop();

      expect(await scene.queue.get(id)).toMatchObject({ state: 'completed', epoch: 1 });
    });
  });
}

/** A broker whose heartbeats never arrive. */
function loseHeartbeats(broker: Broker): Broker {
  return { ...broker, heartbeat: () => Promise.reject(new Error('no route')) };
}
