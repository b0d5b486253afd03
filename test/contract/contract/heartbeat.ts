import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** What a heartbeat does and hears. */
export function describeHeartbeat(scene: Scene): void {
  describe('heartbeat', () => {
    it('extends a lease', async () => {
      await scene.start('a', { leaseMs: SHORT_MS });

      const answers = await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS);

      await scene.advance(PASS_MS);
      expect(answers).toEqual(['ok']);
      expect(await scene.broker.findExpired(10)).toEqual([]);
    });

    it('never shrinks a lease', async () => {
      await scene.start('a', { leaseMs: LONG_MS });

      const answers = await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], SHORT_MS);

      await scene.advance(PASS_MS);
      expect(answers).toEqual(['ok']);
      expect(await scene.broker.findExpired(10)).toEqual([]);
    });

    it('counts from its own now: it revives a lease that ran out while nobody took the run', async () => {
      await scene.start('a', { leaseMs: SHORT_MS });
      await scene.advance(PASS_MS);

      const answers = await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS);

      expect(answers).toEqual(['ok']);
      expect(await scene.broker.findExpired(10)).toEqual([]);
    });

    it('is noted in the run', async () => {
      await scene.start('a');
      await scene.advance(5);
      const now = await scene.now();

      await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS);

      const run = await scene.read('a');
      expect(run).toMatchObject({ state: 'started', epoch: 1 });
      expect(run.heartbeatAt).toBeGreaterThanOrEqual(now);
    });

    it('hears that somebody asked to cancel, every time', async () => {
      await scene.start('a');
      await scene.broker.cancel(['a']);

      expect(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS)).toEqual(['cancel']);
      expect(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS)).toEqual(['cancel']);
      expect((await scene.read('a')).state).toBe('started');
    });

    it('is fenced after the run was settled', async () => {
      const run = await scene.start('a');
      await scene.settle(settlementOf(run, { type: 'complete', at: await scene.now() }));

      expect(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS)).toEqual(['fenced']);
    });

    it('is fenced when another epoch holds the run, and does not extend its lease', async () => {
      const run = await scene.start('a');
      await scene.settle(settlementOf(run, { type: 'release', at: await scene.now() }));
      await scene.claim({ leaseMs: SHORT_MS });

      const answers = await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS);

      await scene.advance(PASS_MS);
      expect(answers).toEqual(['fenced']);
      expect((await scene.broker.findExpired(10)).map(({ id }) => id)).toEqual(['a']);
    });

    it('answers a whole batch in order', async () => {
      await scene.submit('waiting');
      await scene.start({ id: 'a', lane: 'm' });

      const answers = await scene.broker.heartbeat(
        [
          { id: 'nobody', epoch: 1 },
          { id: 'a', epoch: 1 },
          { id: 'waiting', epoch: 0 },
          { id: 'a', epoch: 2 },
        ],
        LONG_MS,
      );

      expect(answers).toEqual(['gone', 'ok', 'fenced', 'fenced']);
      expect(await scene.broker.heartbeat([], LONG_MS)).toEqual([]);
    });
  });
}
