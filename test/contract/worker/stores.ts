import { AsyncLocalStorage } from 'node:async_hooks';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { WorkerScene } from './worker-scene.ts';
import { promiseOf } from './worker-scene.ts';

const store = new AsyncLocalStorage<string>();

/** Which `AsyncLocalStorage` the code of users sees in a worker: that of no request. */
export function describeStores(scene: WorkerScene): void {
  describe('the stores of requests', () => {
    it('reach neither handlers nor listeners nor abort signals, wherever a request does what leads there', async () => {
      const seen: (readonly [string, string | undefined])[] = [];
      const note = (what: string): void => void seen.push([what, store.getStore()]);
      const called = promiseOf<void>();
      const cancelled = promiseOf<void>();
      const entering = defineTask({
        name: 'entering',
        run: () => {
          note('first handler');
          store.enterWith('a handler'); // stays in its own run
        },
      });
      const task = defineTask({
        name: 'long',
        retry: {
          retryIf: () => {
            note('retryIf');
            return false;
          },
        },
        run: (isLong: boolean, { log, signal }) => {
          note('handler');
          store.run('within a handler', () => log('from it'));
          if (!isLong) throw new Error('no');
          called.resolve();
          return new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              note('abort');
              reject(signal.reason);
            });
          });
        },
      });
      const worker = await store.run('start', () =>
        scene.startWorker({ tasks: [entering, task], concurrency: 1, prefetch: 10 }),
      );
      for (const type of ['started', 'completed', 'failed', 'log', 'stopped'] as const)
        worker.on(type, () => note(type));
      worker.on('cancelled', () => cancelled.resolve(note('cancelled')));
      const queue = scene.queue;
      queue.on('submitted', () => note('submitted'));

      await store.run('submit', () => queue.submitMany(entering, [null, null]));
      await store.run('submit', () => queue.submit(task, false));
      const { id } = await store.run('submit', () => queue.submit(task, true));
      await called.promise;
      await store.run('cancel', () => queue.cancel(id));
      await cancelled.promise;
      await store.run('stop', () => worker.stop());

      const kinds = [
        'abort',
        'cancelled',
        'completed',
        'failed',
        'first handler',
        'handler',
        'log',
        'retryIf',
      ];
      expect([...new Set(seen.map(([what]) => what))].sort()).toEqual([
        ...kinds,
        'started',
        'stopped',
        'submitted',
      ]);
      expect(seen.filter(([, value]) => value !== undefined)).toEqual([]);
    });

    it('stay with the callers of the queue', async () => {
      const task = defineTask({ name: 'echo', run: (text: string) => text });
      await scene.startWorker({ tasks: [task] });

      const seen = await Promise.all(
        ['a', 'b'].map((name) =>
          store.run(name, async () => {
            const result = await scene.queue.submitAndWait(task, name, { timeout: '20s' });
            return [result, store.getStore()];
          }),
        ),
      );

      expect(seen).toEqual([
        ['a', 'a'],
        ['b', 'b'],
      ]);
    });
  });
}
