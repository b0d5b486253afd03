import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';

/** More than a cleaner asks for in one call. */
const UNKNOWN = 5_000;

/** Which runs a cleaner finds by lanes. */
export const findExpiredLanesCases: CasesByName = {
  'findExpired with lanes finds only runs of those lanes': async (scene) => {
    await expire(scene, ['x', 'a'], ['y', 'b'], ['z', 'c'], ['x', 'd']);

    equal(await find(scene, 10, { lanes: ['x', 'z'] }), ['a', 'c', 'd']);
    equal(await find(scene, 10, { lanes: ['y'] }), ['b']);
    equal(await find(scene, 10, { lanes: ['unused'] }), []);
    equal(await find(scene, 10, { lanes: [] }), []);
  },

  'findExpired with exceptLanes finds only runs of other lanes': async (scene) => {
    await expire(scene, ['x', 'a'], ['y', 'b'], ['z', 'c'], ['x', 'd']);

    equal(await find(scene, 10, { exceptLanes: ['x', 'unused'] }), ['b', 'c']);
    equal(await find(scene, 10, { exceptLanes: [] }), ['a', 'b', 'c', 'd']);
    equal(await find(scene, 10, { exceptLanes: ['x', 'y', 'z'] }), []);
  },

  'findExpired with lanes returns the leases that expired first, up to its limit': async (scene) => {
    const late = await scene.start({ id: 'late', lane: 'y' }, { leaseMs: 1 });
    await scene.start({ id: 'other', lane: 'x' }, { leaseMs: 1 });
    await scene.start({ id: 'soon', lane: 'z' }, { leaseMs: 2 });
    // The lease of the first claim ends last, however slow these calls are.
    await scene.broker.heartbeat([late], SHORT_MS);
    await scene.start({ id: 'never', lane: 'y' }, { leaseMs: LONG_MS });
    await scene.advance(PASS_MS);

    equal(await find(scene, 10, { lanes: ['y', 'z'] }), ['soon', 'late']);
    equal(await find(scene, 1, { lanes: ['y', 'z'] }), ['soon']);
    equal(await find(scene, 1, { exceptLanes: ['x'] }), ['soon']);
  },

  'findExpired with lanes finds its runs behind 5 000 expired runs of another lane': async (scene) => {
    const ids = Array.from({ length: UNKNOWN }, (_, index) => `unknown-${index}`);
    await scene.submit(...ids.map((id) => ({ id, lane: 'unknown' })));
    await scene.claim({ lanes: ['unknown'], leaseMs: 1 });
    await expire(scene, ['known', 'a'], ['known', 'b']);

    equal(await find(scene, 1_000, { lanes: ['known'] }), ['a', 'b']);
    equal(await find(scene, 1_000, { exceptLanes: ['unknown'] }), ['a', 'b']);
    strictEqual((await find(scene, 1_000)).length, 1_000);
  },

  'findExpired with lanes finds runs that were claimed together with runs of other lanes': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' }, { id: 'c', lane: 'x' });
    await scene.claim({ lanes: ['x', 'y'], leaseMs: 1 });
    await scene.advance(PASS_MS);

    equal(await find(scene, 10, { lanes: ['y'] }), ['b']);
    equal([...(await find(scene, 10, { lanes: ['x'] }))].sort(), ['a', 'c']);
  },

  'findExpired with lanes returns no payloads': async (scene) => {
    await scene.start({ id: 'a', lane: 'x', payload: '"large"' }, { leaseMs: 1 });
    await scene.advance(PASS_MS);

    matches(await scene.broker.findExpired(10, { lanes: ['x'] }), [{ id: 'a', payload: '' }]);
  },
};

async function find(
  scene: CaseScene,
  ...given: Parameters<typeof scene.broker.findExpired>
): Promise<readonly string[]> {
  return (await scene.broker.findExpired(...given)).map(({ id }) => id);
}

async function expire(
  scene: CaseScene,
  ...runs: readonly (readonly [lane: string, id: string])[]
): Promise<void> {
  for (const [lane, id] of runs) await scene.start({ id, lane }, { leaseMs: 1 });
  await scene.advance(PASS_MS);
}
