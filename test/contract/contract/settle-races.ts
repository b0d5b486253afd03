import type { Run } from '@retry/core/broker';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** Who is heard when several settle one run: the holder of its current epoch, once. */
export function describeSettleRaces(scene: Scene): void {
  const recover = (run: Run, at: number): ReturnType<typeof settlementOf> =>
    settlementOf(
      run,
      [
        { type: 'stall', at },
        { type: 'recover', at, runAt: at },
      ],
      { onlyIfExpired: true },
    );

  describe('races to settle', () => {
    it('answers already to a settlement whose reply was lost', async () => {
      const run = await scene.start('a');
      const settlement = settlementOf(run, { type: 'complete', at: await scene.now() }, { result: '1' });
      await scene.settle(settlement);

      expect(await scene.settle(settlement)).toEqual(['already']);
      expect(await scene.read('a')).toMatchObject({ state: 'completed', result: '1' });
    });

    it('answers already to a lost retry, and charges it once', async () => {
      const run = await scene.start('a');
      const at = await scene.now();
      const settlement = settlementOf(run, { type: 'retry', at, runAt: at });
      await scene.settle(settlement);

      expect(await scene.settle(settlement)).toEqual(['already']);
      expect(await scene.read('a')).toMatchObject({ state: 'submitted', failures: 1 });
      expect(await scene.claimIds()).toEqual(['a']);
    });

    it('answers already to a lost settlement of the run that is started anew', async () => {
      const run = await scene.start('a');
      const at = await scene.now();
      const settlement = settlementOf(run, { type: 'release', at });
      await scene.settle(settlement);
      await scene.claim();

      expect(await scene.settle(settlement)).toEqual(['already']);
      expect(await scene.read('a')).toMatchObject({ state: 'started', epoch: 2, releases: 1 });
    });

    it('fences a second outcome of one epoch', async () => {
      const run = await scene.start('a');
      const at = await scene.now();
      await scene.settle(settlementOf(run, { type: 'complete', at }, { result: '1' }));

      expect(await scene.settle(settlementOf(run, { type: 'fail', at }))).toEqual(['fenced']);
      expect(await scene.read('a')).toMatchObject({ state: 'completed', failures: 0, result: '1' });
    });

    it('accepts one of two outcomes that arrive at once', async () => {
      const run = await scene.start('a');
      const at = await scene.now();

      const answers = await Promise.all([
        scene.settle(settlementOf(run, { type: 'complete', at })),
        scene.settle(settlementOf(run, { type: 'fail', at })),
      ]);

      expect(answers.flat().sort()).toEqual(['fenced', 'ok']);
    });

    it('lets a cleaner recover a run whose lease ran out, and fences its silent worker', async () => {
      const zombie = await scene.start('a', { leaseMs: SHORT_MS });
      await scene.advance(PASS_MS);
      const at = await scene.now();
      const cleaned = await scene.settle(recover(zombie, at));

      const late = await scene.settle(settlementOf(zombie, { type: 'complete', at }));

      expect(cleaned).toEqual(['ok']);
      expect(late).toEqual(['fenced']);
      expect(await scene.read('a')).toMatchObject({ state: 'submitted', stalls: 1 });
    });

    it('fences the silent worker also while another one holds the run', async () => {
      const zombie = await scene.start('a', { worker: 'w1', leaseMs: SHORT_MS });
      await scene.advance(PASS_MS);
      const at = await scene.now();
      await scene.settle(recover(zombie, at));
      const [held] = await scene.claim({ worker: 'w2' });

      const late = await scene.settle(settlementOf(zombie, { type: 'complete', at }));

      expect(late).toEqual(['fenced']);
      expect(await scene.read('a')).toMatchObject({ state: 'started', epoch: 2 });
      expect(held && (await scene.settle(settlementOf(held.run, { type: 'complete', at })))).toEqual(['ok']);
    });

    it('lets one of many cleaners recover a run, and charges one stall', async () => {
      const run = await scene.start('a', { leaseMs: SHORT_MS });
      await scene.advance(PASS_MS);
      const at = await scene.now();

      const answers = await Promise.all([1, 2, 3].map(() => scene.settle(recover(run, at))));

      expect(answers.flat().sort()).toEqual(['already', 'already', 'ok']);
      expect((await scene.read('a')).stalls).toBe(1);
    });

    it('hears a worker whose lease ran out as long as nobody took the run', async () => {
      const run = await scene.start('a', { leaseMs: SHORT_MS });
      await scene.advance(PASS_MS);

      const answers = await scene.settle(settlementOf(run, { type: 'complete', at: await scene.now() }));

      expect(answers).toEqual(['ok']);
    });

    it('fences a cleaner while the lease lives', async () => {
      const run = await scene.start('a', { leaseMs: LONG_MS });

      expect(await scene.settle(recover(run, await scene.now()))).toEqual(['fenced']);
      expect(await scene.read('a')).toMatchObject({ state: 'started', stalls: 0 });
    });

    it('fences a cleaner that comes after a heartbeat', async () => {
      const run = await scene.start('a', { leaseMs: SHORT_MS });
      await scene.advance(PASS_MS);
      const [expired] = await scene.broker.findExpired(1);
      await scene.broker.heartbeat([{ id: 'a', epoch: run.epoch }], LONG_MS);

      expect(await scene.settle(recover(expired ?? run, await scene.now()))).toEqual(['fenced']);
      expect((await scene.read('a')).state).toBe('started');
    });

    it('answers already, or fences, after a redrive', async () => {
      const run = await scene.start('a');
      const at = await scene.now();
      const failed = settlementOf(run, { type: 'fail', at });
      await scene.settle(failed);
      await scene.broker.redrive(['a']);

      expect(await scene.settle(failed)).toEqual(['already']);
      expect(await scene.settle(settlementOf(run, { type: 'complete', at }))).toEqual(['fenced']);
      expect(await scene.read('a')).toMatchObject({ state: 'submitted', epoch: 1, failures: 0 });
    });

    it('fences an epoch that nobody was given', async () => {
      const run = await scene.start('a');
      const at = await scene.now();
      const ahead = { ...settlementOf(run, { type: 'complete', at }), epoch: 2 };

      expect(await scene.settle(ahead)).toEqual(['fenced']);
      expect((await scene.read('a')).state).toBe('started');
    });

    it('answers gone after the run was discarded', async () => {
      const run = await scene.start('a');
      const settlement = settlementOf(run, { type: 'fail', at: await scene.now() });
      await scene.settle(settlement);
      await scene.broker.discard(['a']);

      expect(await scene.settle(settlement)).toEqual(['gone']);
    });
  });
}
