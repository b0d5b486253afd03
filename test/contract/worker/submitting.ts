import { InvalidOptionsError } from '@retry/core';
import { defineTask, PayloadError } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { WorkerScene } from './worker-scene.ts';

/** Many runs in one call. */
export function describeSubmitting(scene: WorkerScene): void {
  const task = defineTask({ name: 'order', run: (_: { readonly id: number; readonly text?: string }) => {} });

  describe('submitMany', () => {
    it('submits each run with the options of its own, and else with those of all', async () => {
      const runAt = Date.now() + 3_600_000;
      const payloads = [{ id: 1 }, { id: 2 }, { id: 3 }];

      const submitted = await scene.queue.submitMany(task, payloads, {
        delay: '1d',
        concurrency: { key: 'all', limit: 5 },
        each: ({ id }, index) => {
          if (index === 0) return undefined;
          return index === 1
            ? { key: `order-${id}`, delay: 0, runAt }
            : { delay: 0, concurrency: { key: 'own', limit: 1 } };
        },
      });

      const runs = await scene.broker.get(submitted.map(({ id }) => id));
      expect(runs.map((run) => run?.payload)).toEqual(payloads.map((payload) => JSON.stringify(payload)));
      expect(runs.map((run) => run?.state)).toEqual(['scheduled', 'scheduled', 'submitted']);
      expect(runs.map((run) => run?.concurrency?.key)).toEqual(['all', 'all', 'own']);
      expect(runs[0]?.runAt).toBeGreaterThan(runAt);
      expect(runs[1]).toMatchObject({ id: 'order@order-2', runAt });
    });

    it('submits a key that is given twice, or is known, once', async () => {
      await scene.queue.submit(task, { id: 1 }, { key: '1' });
      const payloads = [{ id: 1 }, { id: 2 }, { id: 2, text: 'x'.repeat(5_000) }, { id: 3 }];

      const submitted = await scene.queue.submitMany(task, payloads, {
        each: ({ id }) => ({ key: `${id}` }),
      });

      expect(submitted.map(({ id, isNew }) => [id, isNew])).toEqual([
        ['order@1', false],
        ['order@2', true],
        ['order@2', false],
        ['order@3', true],
      ]);
      expect((await scene.queue.counts()).created).toBe(3);
      expect((await scene.queue.get('order@2'))?.payload).toEqual({ id: 2 });
    });

    it('submits nothing when an option of one run is wrong, or a payload is', async () => {
      const payloads = [{ id: 1 }, { id: Number.NaN }];

      const wrongPayload = scene.queue.submitMany(task, payloads, { each: () => ({ delay: 10 }) });
      const wrongOption = scene.queue.submitMany(task, [{ id: 1 }, { id: 2 }], {
        each: ({ id }) => (id === 1 ? {} : { delay: -1 }),
      });

      await expect(wrongPayload).rejects.toThrow(PayloadError);
      await expect(wrongOption).rejects.toThrow(InvalidOptionsError);
      await expect(wrongOption).rejects.toThrow('each(1).delay');
      expect((await scene.queue.counts()).created).toBe(0);
    });

    it('keeps the order of more runs than one call carries', async () => {
      const ids = Array.from({ length: 1_250 }, (_, index) => index);
      const payloads = ids.map((id) => ({ id }));

      await scene.queue.submitMany(task, payloads);

      const lanes = new Map([[task.lane, 2_000]]);
      const claim = { worker: 'w', requestId: 'r', limit: 2_000, lanes, leaseMs: 60_000 };
      const { claimed } = await scene.broker.exchange({ claim });
      expect(claimed.map(({ run }) => JSON.parse(run.payload).id)).toEqual(ids);
    });
  });
}
