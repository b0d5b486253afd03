import type { ListQuery } from '@retry/core/broker';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** What `list` finds. */
export function describeList(scene: Scene): void {
  const list = async (query: Partial<ListQuery>): Promise<readonly string[]> =>
    (await scene.broker.list({ state: 'submitted', limit: 1000, ...query })).map(({ id }) => id);

  const fail = async (lane: string, id: string, errorNames: readonly string[]): Promise<void> => {
    const run = await scene.start({ id, lane });
    const at = await scene.now();
    const errors = errorNames.map((name, index) => ({ epoch: index, at, name, message: '' }));
    await scene.settle(settlementOf(run, { type: 'fail', at }, { errors }));
  };

  describe('list', () => {
    it('finds the runs of a state by ascending id', async () => {
      await scene.submit('c', 'a', 'b', { id: 'later', delayMs: 60_000 });
      await scene.broker.cancel(['b']);

      expect(await list({ state: 'submitted' })).toEqual(['a', 'c']);
      expect(await list({ state: 'scheduled' })).toEqual(['later']);
      expect(await list({ state: 'cancelled' })).toEqual(['b']);
      expect(await list({ state: 'completed' })).toEqual([]);
    });

    it('gives the runs as they are', async () => {
      const run = await scene.start({ id: 'a', payload: '[1]' });

      expect(await scene.broker.list({ state: 'started', limit: 1 })).toEqual([run]);
    });

    it('pages by limit and the last id', async () => {
      const ids = Array.from({ length: 25 }, (_, index) => `id-${String(index).padStart(2, '0')}`);
      await scene.submit(...[...ids].reverse());

      const first = await list({ limit: 10 });
      const second = await list({ limit: 10, after: 'id-09' });
      const third = await list({ limit: 10, after: 'id-19' });

      expect([...first, ...second, ...third]).toEqual(ids);
      expect(await list({ limit: 10, after: 'id-24' })).toEqual([]);
      expect(await list({ limit: 1 })).toEqual(['id-00']);
    });

    it('pages capitals before small letters', async () => {
      await scene.submit('B', 'a', 'C', 'b');

      expect(await list({ limit: 2 })).toEqual(['B', 'C']);
      expect(await list({ after: 'C' })).toEqual(['a', 'b']);
    });

    it('goes on after an id that is gone meanwhile', async () => {
      await scene.submit('a', 'b', 'c');
      await scene.broker.cancel(['b']);
      await scene.broker.discard(['b']);

      expect(await list({ after: 'b' })).toEqual(['c']);
    });

    it('filters by lane', async () => {
      await scene.submit('a', { id: 'b', lane: 'm' }, 'c');

      expect(await list({ lane: 'm' })).toEqual(['b']);
      expect(await list({ lane: 'none' })).toEqual([]);
    });

    it('filters by the name of the latest error', async () => {
      await fail('l', 'a', ['TypeError']);
      await fail('l', 'b', ['TypeError', 'RangeError']);
      await fail('l', 'c', []);

      expect(await list({ state: 'failed', errorName: 'TypeError' })).toEqual(['a']);
      expect(await list({ state: 'failed', errorName: 'RangeError' })).toEqual(['b']);
    });

    it('filters by when the run ended', async () => {
      await fail('l', 'a', []);
      await scene.advance(5);
      const between = await scene.now();
      await fail('l', 'b', []);

      expect(await list({ state: 'failed', endedBefore: between })).toEqual(['a']);
      expect(await list({ state: 'failed', endedBefore: between + 60_000 })).toEqual(['a', 'b']);
    });

    it('applies all filters together', async () => {
      await fail('l', 'a', ['TypeError']);
      await fail('m', 'b', ['TypeError']);
      await fail('m', 'c', ['RangeError']);
      await fail('m', 'd', ['TypeError']);
      const query = { state: 'failed', lane: 'm', errorName: 'TypeError' } as const;

      expect(await list(query)).toEqual(['b', 'd']);
      expect(await list({ ...query, after: 'b' })).toEqual(['d']);
      expect(await list({ ...query, limit: 1 })).toEqual(['b']);
    });

    it('pages through dead letters that are redriven page by page', async () => {
      const ids = ['a', 'b', 'c', 'd', 'e'];
      for (const id of ids) await fail('l', id, []);
      const seen: string[] = [];

      for (let page = await list({ state: 'failed', limit: 2 }); page.length > 0; ) {
        seen.push(...page);
        await scene.broker.redrive(page);
        page = await list({ state: 'failed', limit: 2, after: seen.at(-1) ?? '' });
      }

      expect(seen).toEqual(ids);
      expect(await scene.broker.audit()).toMatchObject({ submitted: 5, ended: { failed: 0 } });
    });
  });
}
