import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../../support/broker-scene.ts';

/** More than a cleaner asks for in one call. */
const UNKNOWN = 5_000;

/** Which runs a cleaner finds when it asks for lanes. */
export function describeFindExpiredLanes(scene: Scene): void {
  const find = async (...given: Parameters<typeof scene.broker.findExpired>): Promise<readonly string[]> =>
    (await scene.broker.findExpired(...given)).map(({ id }) => id);

  const expire = async (...runs: readonly (readonly [lane: string, id: string])[]): Promise<void> => {
    for (const [lane, id] of runs) await scene.start({ id, lane }, { leaseMs: 1 });
    await scene.advance(PASS_MS);
  };

  describe('findExpired by lanes', () => {
    it('finds only runs of the lanes asked', async () => {
      await expire(['x', 'a'], ['y', 'b'], ['z', 'c'], ['x', 'd']);

      expect(await find(10, { lanes: ['x', 'z'] })).toEqual(['a', 'c', 'd']);
      expect(await find(10, { lanes: ['y'] })).toEqual(['b']);
      expect(await find(10, { lanes: ['never seen'] })).toEqual([]);
      expect(await find(10, { lanes: [] })).toEqual([]);
    });

    it('finds only runs of other lanes than the excepted ones', async () => {
      await expire(['x', 'a'], ['y', 'b'], ['z', 'c'], ['x', 'd']);

      expect(await find(10, { exceptLanes: ['x', 'never seen'] })).toEqual(['b', 'c']);
      expect(await find(10, { exceptLanes: [] })).toEqual(['a', 'b', 'c', 'd']);
      expect(await find(10, { exceptLanes: ['x', 'y', 'z'] })).toEqual([]);
    });

    it('finds those that ran out longest ago first, up to its limit', async () => {
      await scene.start({ id: 'late', lane: 'y' }, { leaseMs: SHORT_MS });
      await scene.start({ id: 'other', lane: 'x' }, { leaseMs: 1 });
      await scene.start({ id: 'soon', lane: 'z' }, { leaseMs: 2 });
      await scene.start({ id: 'never', lane: 'y' }, { leaseMs: LONG_MS });
      await scene.advance(PASS_MS);

      expect(await find(10, { lanes: ['y', 'z'] })).toEqual(['soon', 'late']);
      expect(await find(1, { lanes: ['y', 'z'] })).toEqual(['soon']);
      expect(await find(1, { exceptLanes: ['x'] })).toEqual(['soon']);
    });

    it('finds every run of a known lane behind 5 000 expired runs of an unknown one', async () => {
      const ids = Array.from({ length: UNKNOWN }, (_, index) => `unknown-${index}`);
      await scene.submit(...ids.map((id) => ({ id, lane: 'unknown' })));
      await scene.claim({ lanes: ['unknown'], leaseMs: 1 });
      await expire(['known', 'a'], ['known', 'b']);

      expect(await find(1_000, { lanes: ['known'] })).toEqual(['a', 'b']);
      expect(await find(1_000, { exceptLanes: ['unknown'] })).toEqual(['a', 'b']);
      expect(await find(1_000)).toHaveLength(1_000);
    });

    it('finds runs of a lane that were claimed together with those of others', async () => {
      await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' }, { id: 'c', lane: 'x' });
      await scene.claim({ lanes: ['x', 'y'], leaseMs: 1 });
      await scene.advance(PASS_MS);

      expect(await find(10, { lanes: ['y'] })).toEqual(['b']);
      expect([...(await find(10, { lanes: ['x'] }))].sort()).toEqual(['a', 'c']);
    });

    it('gives no payloads', async () => {
      await scene.start({ id: 'a', lane: 'x', payload: '"large"' }, { leaseMs: 1 });
      await scene.advance(PASS_MS);

      expect(await scene.broker.findExpired(10, { lanes: ['x'] })).toMatchObject([{ id: 'a', payload: '' }]);
    });
  });
}
