import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

const COUNT = 10_000;

/** Batches as large as somebody may send. */
export function describeBatches(scene: Scene): void {
  const ids = Array.from({ length: COUNT }, (_, index) => `run-${index}`);

  describe('batches', () => {
    it('takes 10 000 runs through submit, claim and settle in one call each', async () => {
      const submitted = await scene.broker.submit(ids.map((id) => ({ id, lane: 'l', payload: id })));
      const claimed = await scene.claim({ limit: COUNT });
      const at = await scene.now();
      const settled = await scene.settle(
        ...claimed.map(({ run }) => settlementOf(run, { type: 'complete', at }, { result: run.payload })),
      );

      expect(new Set(submitted)).toEqual(new Set(['created']));
      expect(claimed.map(({ run }) => run.id)).toEqual(ids);
      expect(settled).toHaveLength(COUNT);
      expect(new Set(settled)).toEqual(new Set(['ok']));
      expect(await scene.broker.audit()).toMatchObject({ created: COUNT, ended: { completed: COUNT } });
    });

    it('reads, cancels and discards 10 000 runs in one call each', async () => {
      await scene.submit(...ids);

      const found = await scene.broker.get(ids);
      const cancelled = await scene.broker.cancel(ids);
      const discarded = await scene.broker.discard(ids);

      expect(found.map((run) => run?.id)).toEqual(ids);
      expect(new Set(cancelled)).toEqual(new Set(['cancelled']));
      expect(new Set(discarded)).toEqual(new Set(['discarded']));
      expect(await scene.broker.audit()).toMatchObject({ created: COUNT, forgotten: COUNT });
    });

    it('beats, releases, fails and redrives 10 000 runs in one call each', async () => {
      await scene.submit(...ids);
      const first = await scene.claim();
      const beats = await scene.broker.heartbeat(
        first.map(({ run }) => ({ id: run.id, epoch: 1 })),
        60_000,
      );
      const at = await scene.now();
      await scene.settle(...first.map(({ run }) => settlementOf(run, { type: 'release', at })));
      const second = await scene.claim();
      await scene.settle(...second.map(({ run }) => settlementOf(run, { type: 'fail', at })));

      const redriven = await scene.broker.redrive(ids);

      expect(new Set(beats)).toEqual(new Set(['ok']));
      expect(second.map(({ run }) => run.id)).toEqual(ids);
      expect(new Set(redriven)).toEqual(new Set(['redriven']));
      expect(await scene.broker.audit()).toMatchObject({ submitted: COUNT, started: 0 });
    });

    it('hands out 10 000 runs that are due at one instant', async () => {
      const runAt = (await scene.now()) + 10;
      await scene.submit(...ids.map((id) => ({ id, runAt })));
      await scene.advance(20);

      const claimed: string[] = [];
      for (let got = await scene.claimIds(); got.length > 0; got = await scene.claimIds())
        claimed.push(...got);

      expect(claimed).toEqual(ids);
    });
  });
}
