import { holdLanes, listHolds, resumeLanes } from '@retry/core/broker/kit';
import { atLeast, atMost, equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { AHEAD_MS, concurrency, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';

/** A hold that lets one run through from time to time. */
export const probeCases: CasesByName = {
  'probe: before until no run is let through, then one that is marked, and no other before probeMs': async (
    scene,
  ) => {
    await scene.submit('a', 'b', 'c');
    await holdProbing(scene, { forMs: AHEAD_MS, probeMs: LONG_MS });
    const early = await scene.claimIds();
    await scene.advance(AHEAD_MS);
    const at = await scene.now();

    const claimed = await scene.claim();

    equal(early, []);
    equal(
      claimed.map(({ run, isProbe }) => [run.id, isProbe]),
      [['a', true]],
    );
    equal(await scene.claimIds(), []);
    const [hold, ...others] = await listHolds(scene.broker);
    atLeast(hold?.until, at + LONG_MS);
    atMost(hold?.until, (await scene.now()) + LONG_MS);
    matches([hold, others], [{ lane: 'l', source: 'circuit-breaker', probeMs: LONG_MS }, []]);
  },

  'probe: another run is let through after probeMs, and so on': async (scene) => {
    await scene.submit('a', 'b', 'c');
    await holdProbing(scene, { until: 1, probeMs: SHORT_MS });

    const probed: string[][] = [];
    for (let round = 0; round < 3; round += 1) {
      probed.push([...(await scene.claimIds())]);
      await scene.advance(PASS_MS);
    }

    equal(probed, [['a'], ['b'], ['c']]);
    equal(await scene.claimIds(), []);
  },

  'probe: several claims at the same time let one run through': async (scene) => {
    await scene.submit('a', 'b', 'c', 'd');
    await holdProbing(scene, { until: 1, probeMs: LONG_MS });

    const claims = [1, 2, 3, 4].map((worker) => scene.claimIds({ worker: `w${worker}`, limit: 2 }));

    equal((await Promise.all(claims)).flat(), ['a']);
  },

  'probe: one claim lets one run of each lane through': async (scene) => {
    await scene.submit('a', 'b', { id: 'c', lane: 'm' }, { id: 'd', lane: 'm' }, { id: 'e', lane: 'n' });
    await scene.submit({ id: 'f', lane: 'n' });
    await holdProbing(scene, { until: 1, probeMs: LONG_MS });
    await holdProbing(scene, { lane: 'm', until: 1, probeMs: LONG_MS });

    const claimed = await scene.claim({ lanes: ['l', 'm', 'n'] });

    equal(
      claimed.map(({ run, isProbe = false }) => [run.id, isProbe]),
      [
        ['a', true],
        ['c', true],
        ['e', false],
        ['f', false],
      ],
    );
  },

  'probe: a claim that gets nothing changes nothing': async (scene) => {
    await holdProbing(scene, { until: 1, probeMs: LONG_MS });
    const nothing = await scene.claimIds();
    const [hold] = await listHolds(scene.broker);
    await scene.submit('a', 'b');
    const noRoom = await scene.claimIds({ lanes: [['l', 0]] });

    equal([nothing, noRoom], [[], []]);
    strictEqual(hold?.until, 1);
    equal(await scene.claimIds(), ['a']);
  },

  'probe: another hold of the lane, or of all lanes, lets no run through': async (scene) => {
    await scene.submit('a', 'b');
    await holdProbing(scene, { until: 1, probeMs: LONG_MS });
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }, { source: 'operator' }]);
    const held = [await scene.claimIds()];
    await resumeLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);
    held.push(await scene.claimIds());
    await resumeLanes(scene.broker, [{}]);

    equal(held, [[], []]);
    equal(await scene.claimIds(), ['a']);
  },

  'probe: two holds that probe let one run through together, and begin anew together': async (scene) => {
    await scene.submit('a', 'b');
    await holdProbing(scene, { until: 1, probeMs: LONG_MS });
    await holdProbing(scene, { source: 'handler', until: 2, probeMs: 2 * LONG_MS });
    const at = await scene.now();

    equal(await scene.claimIds(), ['a']);
    equal(await scene.claimIds(), []);
    for (const { until, probeMs } of await listHolds(scene.broker)) atLeast(until, at + (probeMs ?? 0));
  },

  'probe: it never ends by itself, only when it is resumed': async (scene) => {
    await scene.submit('a', 'b', 'c');
    await holdProbing(scene, { until: 1, probeMs: SHORT_MS });
    await scene.claim();
    await scene.advance(PASS_MS);
    const probing = (await listHolds(scene.broker)).length;

    const answers = await resumeLanes(scene.broker, [{ lane: 'l', source: 'circuit-breaker' }]);

    equal([probing, answers], [1, ['resumed']]);
    equal(
      (await scene.claim()).map(({ run, isProbe = false }) => [run.id, isProbe]),
      [
        ['b', false],
        ['c', false],
      ],
    );
  },

  'probe: a hold that replaces it begins anew': async (scene) => {
    await scene.submit('a', 'b');
    await holdProbing(scene, { until: 1, probeMs: SHORT_MS });
    const first = await scene.claimIds();
    await holdProbing(scene, { forMs: LONG_MS, probeMs: LONG_MS });
    await scene.advance(PASS_MS);

    equal(first, ['a']);
    equal(await scene.claimIds(), []);
  },

  'probe: a hold with keepLonger and no time of its own replaces one whose time is over': async (scene) => {
    await holdProbing(scene, { forMs: SHORT_MS, probeMs: SHORT_MS });
    await scene.advance(PASS_MS);

    await holdProbing(scene, { forMs: 0, probeMs: LONG_MS, keepLonger: true });

    matches(await listHolds(scene.broker), [{ lane: 'l', probeMs: LONG_MS }]);
  },

  'probe: a run that is due is let through, and one that was released': async (scene) => {
    const run = await scene.start('a');
    await scene.submit({ id: 'b', delayMs: SHORT_MS });
    await holdProbing(scene, { until: 1, probeMs: SHORT_MS });
    await scene.advance(PASS_MS);
    const due = await scene.claim();
    await scene.settleNow('release', run);
    await scene.advance(PASS_MS);
    const released = await scene.claim();

    matches(
      [...due, ...released],
      [
        { run: { id: 'b' }, isProbe: true },
        { run: { id: 'a' }, isProbe: true },
      ],
    );
  },

  'probe: a run whose key is full is passed by': async (scene) => {
    await scene.start({ id: 'other', lane: 'm', concurrency });
    await scene.submit({ id: 'a', concurrency }, 'b', 'c');
    await holdProbing(scene, { until: 1, probeMs: LONG_MS });

    equal(await scene.claimIds(), ['b']);
    equal(await scene.claimIds(), []);
  },
};

interface Probing {
  readonly lane?: string;
  readonly source?: 'handler' | 'circuit-breaker';
  readonly until?: number;
  readonly forMs?: number;
  readonly probeMs: number;
  readonly keepLonger?: boolean;
}

async function holdProbing(scene: CaseScene, probing: Probing): Promise<void> {
  await holdLanes(scene.broker, [{ lane: 'l', source: 'circuit-breaker', ...probing }]);
}
