import { equal, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { AHEAD_MS, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Which runs a cleaner finds. */
export const findExpiredCases: CasesByName = {
  'findExpired returns started runs whose lease has expired, without their payloads': async (scene) => {
    const run = await scene.start({ id: 'a', payload: '[7]' }, { leaseMs: AHEAD_MS });
    const early = await find(scene, 10);
    await scene.start('b', { leaseMs: LONG_MS });
    await scene.submit('waiting');
    await scene.advance(AHEAD_MS);

    const found = await scene.broker.findExpired(10);

    equal(early, []);
    equal(found, [{ ...run, payload: '' }]);
  },

  'findExpired returns the leases that expired first, up to its limit': async (scene) => {
    await scene.submit('a', 'b', 'c');
    const ends = new Map<string, number>();
    for (const leaseMs of [SHORT_MS, SHORT_MS / 2, 1]) {
      for (const { run, leaseUntil } of await scene.claim({ limit: 1, leaseMs }))
        ends.set(run.id, leaseUntil);
    }
    await scene.advance(PASS_MS);

    // On a server each claim takes time, so the order is that of the leases that the claims returned.
    const inOrder = [...ends].sort(([, left], [, right]) => left - right).map(([id]) => id);
    strictEqual(inOrder.length, 3);
    equal(await find(scene, 10), inOrder);
    equal(await find(scene, 2), inOrder.slice(0, 2));
    equal(await find(scene, 0), []);
  },

  'findExpired orders leases by their end, whatever claim made them and heartbeat extended them': async (
    scene,
  ) => {
    await scene.submit('a', 'b', 'c', 'd');
    const [a] = await scene.claim({ limit: 2, leaseMs: 1 });
    await scene.claim({ limit: 2, leaseMs: SHORT_MS / 2 });
    const heartbeats = await scene.broker.heartbeat([{ id: a?.run.id ?? '', epoch: 1 }], SHORT_MS);
    await scene.advance(PASS_MS);

    equal(heartbeats, ['ok']);
    equal(await find(scene, 10), ['b', 'c', 'd', 'a']);
    equal(await find(scene, 1), ['b']);
    equal(await find(scene, 3), ['b', 'c', 'd']);
  },

  'findExpired finds a run whose settlement was fenced and whose worker has claimed others since': async (
    scene,
  ) => {
    const run = await scene.start('a', { leaseMs: AHEAD_MS });
    const at = await scene.now();
    const answers = await scene.settle(settlementOf(run, { type: 'stall', at }, { onlyIfExpired: true }));
    for (const id of ['b', 'c', 'd', 'e', 'f']) {
      const other = await scene.start(id);
      await scene.settle(settlementOf(other, { type: 'complete', at }));
    }
    await scene.advance(AHEAD_MS);

    equal(answers, ['fenced']);
    equal(await find(scene, 10), ['a']);
  },

  'findExpired finds a run again until it is settled': async (scene) => {
    const run = await scene.start('a', { leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);
    const twice = [await find(scene, 10), await find(scene, 10)];

    await scene.settle(settlementOf(run, { type: 'stall', at: await scene.now() }, { onlyIfExpired: true }));

    equal(twice, [['a'], ['a']]);
    equal(await find(scene, 10), []);
    strictEqual((await scene.read('a')).state, 'stalled');
  },

  'findExpired finds a recovered run again when its next lease expires': async (scene) => {
    const run = await scene.start('a', { leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);
    const at = await scene.now();
    const events = [
      { type: 'stall', at },
      { type: 'recover', at, runAt: at },
    ] as const;
    await scene.settle(settlementOf(run, events, { onlyIfExpired: true }));
    await scene.claim({ leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);

    equal(
      (await scene.broker.findExpired(10)).map(({ epoch, stalls }) => [epoch, stalls]),
      [[2, 1]],
    );
  },
};

async function find(scene: CaseScene, limit: number): Promise<readonly string[]> {
  return (await scene.broker.findExpired(limit)).map(({ id }) => id);
}
