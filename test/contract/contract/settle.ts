import type { AttemptError } from '@retry/core/broker';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** What a settlement writes. */
export function describeSettle(scene: Scene): void {
  describe('settle', () => {
    it('writes a result', async () => {
      const run = await scene.start('a');
      const at = await scene.now();

      const answers = await scene.settle(
        settlementOf(run, { type: 'complete', at }, { result: '{"sum":3}' }),
      );

      expect(answers).toEqual(['ok']);
      expect(await scene.read('a')).toMatchObject({
        state: 'completed',
        epoch: 1,
        endedAt: at,
        result: '{"sum":3}',
        settledBy: '1:complete',
      });
    });

    it('writes the instants of a run that was read again since its claim, its heartbeat too', async () => {
      const { id, epoch, heartbeatAt = Infinity } = await scene.start('a');
      await scene.advance(5);
      await scene.broker.heartbeat([{ id, epoch }], LONG_MS);
      const run = await scene.read('a');
      expect(run.heartbeatAt).toBeGreaterThan(heartbeatAt);

      await scene.settle(settlementOf(run, { type: 'complete', at: await scene.now() }));

      const { submittedAt, firstStartedAt, runAt } = run;
      expect(await scene.read('a')).toMatchObject({
        ...{ submittedAt, startedAt: firstStartedAt, runAt, heartbeatAt: run.heartbeatAt },
      });
    });

    it('writes what is next as it was decided, counters, errors and delay', async () => {
      const run = await scene.start('a');
      const at = await scene.now();
      const errors: readonly AttemptError[] = [
        { epoch: 1, at, name: 'TypeError', message: 'no "x"\nhere', stack: 'at a\n at b' },
      ];
      const event = { type: 'retry', at, runAt: at + LONG_MS } as const;

      await scene.settle(settlementOf(run, event, { errors, previousDelayMs: LONG_MS }));

      const kept = await scene.read('a');
      expect(kept).toMatchObject({ state: 'scheduled', failures: 1, runAt: at + LONG_MS });
      expect(kept).toMatchObject({ errors, previousDelayMs: LONG_MS, settledBy: '1:retry' });
    });

    it.each([
      ['complete', 'completed'],
      ['fail', 'failed'],
      ['stall', 'stalled'],
      ['cancel', 'cancelled'],
      ['drop', 'dropped'],
      ['limit', 'rateLimited'],
    ] as const)('ends a run by %s as %s', async (type, state) => {
      const run = await scene.start('a');

      const answers = await scene.settle(settlementOf(run, { type, at: await scene.now() }));

      expect(answers).toEqual(['ok']);
      expect(await scene.read('a')).toMatchObject({ state, epoch: 1 });
      expect((await scene.broker.audit()).ended[state]).toBe(1);
      expect(await scene.claimIds()).toEqual([]);
    });

    it('puts a released run to the front of its lane, uncharged', async () => {
      await scene.submit('a', 'b');
      const [first] = await scene.claim({ limit: 1 });

      if (first) await scene.settle(settlementOf(first.run, { type: 'release', at: await scene.now() }));

      expect(await scene.read('a')).toMatchObject({
        state: 'submitted',
        failures: 0,
        stalls: 0,
        releases: 1,
      });
      expect(await scene.claimIds()).toEqual(['a', 'b']);
    });

    it('keeps the order of runs that are released together', async () => {
      await scene.submit('a', 'b', 'c', 'd');
      const claimed = await scene.claim({ limit: 3 });
      const at = await scene.now();

      await scene.settle(...claimed.map(({ run }) => settlementOf(run, { type: 'release', at })));

      expect(await scene.claimIds()).toEqual(['a', 'b', 'c', 'd']);
    });

    it('puts a recovered run to the back of its lane', async () => {
      await scene.submit('a', 'b');
      const [first] = await scene.claim({ limit: 1 });
      const at = await scene.now();
      const events = [
        { type: 'stall', at },
        { type: 'recover', at, runAt: at },
      ] as const;

      if (first) await scene.settle(settlementOf(first.run, events));

      expect(await scene.read('a')).toMatchObject({ state: 'submitted', stalls: 1 });
      expect(await scene.claimIds()).toEqual(['b', 'a']);
    });

    it('schedules a run that met a rate limit', async () => {
      const run = await scene.start('a');
      const at = await scene.now();

      await scene.settle(settlementOf(run, { type: 'limit', at, runAt: at + LONG_MS }));

      expect(await scene.read('a')).toMatchObject({ state: 'scheduled', rateLimits: 1, failures: 0 });
    });

    it('answers a whole batch in order, each run for itself', async () => {
      await scene.submit('a', 'b');
      const [first, second] = await scene.claim();
      const at = await scene.now();
      if (!first || !second) throw new Error('two runs were to be claimed');
      const complete = { type: 'complete', at } as const;
      const stale = { ...settlementOf(second.run, complete), epoch: 7 };

      const answers = await scene.settle(
        stale,
        settlementOf(first.run, complete),
        settlementOf({ ...first.run, id: 'nobody' }, complete),
        settlementOf(first.run, complete),
        settlementOf(second.run, complete),
      );

      expect(answers).toEqual(['fenced', 'ok', 'gone', 'already', 'ok']);
    });

    it('answers gone for a run that nobody knows', async () => {
      const run = await scene.start('a');
      const at = await scene.now();

      const answers = await scene.settle(settlementOf({ ...run, id: 'nobody' }, { type: 'complete', at }));

      expect(answers).toEqual(['gone']);
      expect(await scene.broker.get(['nobody'])).toEqual([undefined]);
    });
  });
}
