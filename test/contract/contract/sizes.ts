import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { PASS_MS } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

const MEBIBYTE = 1_048_576;

/** 8 MiB to a call, and what one run is over. */
const MAX_RUNS = 9;

/** What is large travels in parts; nothing is left out. */
export function describeSizes(scene: Scene): void {
  const ids = Array.from({ length: 20 }, (_, index) => `run-${String(index).padStart(2, '0')}`);
  const payload = JSON.stringify('x'.repeat(MEBIBYTE - 2));

  const submitLarge = (): Promise<void> => scene.submit(...ids.map((id) => ({ id, payload })));

  /** Asks again until a page is empty: only that one is the last. */
  const pages = async (ask: (after: string) => Promise<readonly string[]>): Promise<string[][]> => {
    const found: string[][] = [];
    for (let page = await ask(''); page.length > 0; page = await ask(found.at(-1)?.at(-1) ?? ''))
      found.push([...page]);
    return found;
  };

  describe('runs of a mebibyte', () => {
    it('are claimed some at a time, in their order', async () => {
      await submitLarge();

      const claims = await pages(() => scene.claimIds());

      expect(claims.flat()).toEqual(ids);
      expect(Math.max(...claims.map(({ length }) => length))).toBeLessThanOrEqual(MAX_RUNS);
    });

    it('are claimed some at a time from several lanes', async () => {
      await scene.submit(...ids.map((id, index) => ({ id, payload, lane: index % 2 === 0 ? 'x' : 'y' })));

      const claims = await pages(() => scene.claimIds({ lanes: ['x', 'y'] }));

      expect([...claims.flat()].sort()).toEqual(ids);
      expect(Math.max(...claims.map(({ length }) => length))).toBeLessThanOrEqual(MAX_RUNS);
    });

    it('are handed out again as the same few when the reply was lost', async () => {
      await submitLarge();
      const first = await scene.claimIds({ requestId: 'lost' });

      expect(await scene.claimIds({ requestId: 'lost' })).toEqual(first);
    });

    it('are listed some at a time, and only an empty page is the last', async () => {
      await submitLarge();

      const listed = await pages(async (after) =>
        (await scene.broker.list({ state: 'submitted', limit: 1_000, after })).map(({ id }) => id),
      );

      expect(listed.flat()).toEqual(ids);
      expect(Math.max(...listed.map(({ length }) => length))).toBeLessThanOrEqual(MAX_RUNS);
    });

    it('are listed at one time without their payloads', async () => {
      await submitLarge();

      const listed = await scene.broker.list({ state: 'submitted', limit: 1_000, payloads: 'omit' });

      expect(listed.map(({ id }) => id)).toEqual(ids);
      expect(new Set(listed.map((run) => run.payload))).toEqual(new Set(['']));
    });

    it('are read by their ids, all of them', async () => {
      await submitLarge();

      const read = await scene.broker.get(ids);

      expect(read.map((run) => run?.payload.length)).toEqual(ids.map(() => MEBIBYTE));
    });

    it('are found expired without their payloads', async () => {
      await submitLarge();
      await pages(() => scene.claimIds({ leaseMs: 1 }));
      await scene.advance(PASS_MS);

      const found = await scene.broker.findExpired(1_000);

      expect(found.map(({ id }) => id).sort()).toEqual(ids);
      expect(new Set(found.map((run) => run.payload))).toEqual(new Set(['']));
    });

    it('are redriven and discarded in one call', async () => {
      await submitLarge();
      const at = await scene.now();
      for (let claimed = await scene.claim(); claimed.length > 0; claimed = await scene.claim())
        await scene.settle(...claimed.map(({ run }) => settlementOf(run, { type: 'fail', at })));

      const redriven = await scene.broker.redrive(ids.slice(0, 10));
      const discarded = await scene.broker.discard(ids.slice(10));

      expect(new Set(redriven)).toEqual(new Set(['redriven']));
      expect(new Set(discarded)).toEqual(new Set(['discarded']));
      expect(await scene.broker.audit()).toMatchObject({ submitted: 10, forgotten: 10 });
    });
  });

  describe('a run larger than a batch', () => {
    const huge = JSON.stringify('x'.repeat(9 * MEBIBYTE));

    it('is claimed, listed and read alone', async () => {
      await scene.submit({ id: 'a', payload: huge }, 'b');

      const [first] = await scene.broker.list({ state: 'submitted', limit: 10 });
      const claims = await pages(() => scene.claimIds());

      expect(first?.payload.length).toBe(huge.length);
      expect(claims).toEqual([['a'], ['b']]);
      expect((await scene.read('a')).payload === huge).toBe(true);
    });
  });

  describe('list without payloads', () => {
    it('gives the runs as they are but for payload and result', async () => {
      const run = await scene.start({ id: 'a', payload: '[7]' });
      const at = await scene.now();
      const errors = [{ epoch: 1, at, name: 'Error', message: 'no', stack: 'at a' }];
      await scene.settle(settlementOf(run, { type: 'fail', at }, { errors, result: '"half"' }));
      const { result: _, ...kept } = await scene.read('a');

      const listed = await scene.broker.list({ state: 'failed', limit: 10, payloads: 'omit' });

      expect(listed).toEqual([{ ...kept, payload: '' }]);
      expect(await scene.broker.list({ state: 'failed', limit: 10, payloads: 'include' })).toMatchObject([
        { payload: '[7]', result: '"half"' },
      ]);
    });
  });
}
