import { holdLanes, listHolds, resumeLanes } from '@retry/core/broker/kit';
import { atLeast, atMost, equal, rejectsWith } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';

const SOURCES = ['operator', 'handler', 'circuit-breaker'] as const;

/** Which holds `resume` ends, which `holds` lists, and what both refuse. */
export const resumeCases: CasesByName = {
  'resume ends a hold: the next claim starts its runs': async (scene) => {
    await scene.submit('a');
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator', forMs: LONG_MS }]);

    equal(await resumeLanes(scene.broker, [{ lane: 'l', source: 'operator' }]), ['resumed']);

    equal(await scene.claimIds(), ['a']);
    equal(await listHolds(scene.broker), []);
  },

  'resume of one source leaves the others: a lane waits for all of its holds': async (scene) => {
    await scene.submit('a');
    await holdLanes(
      scene.broker,
      SOURCES.map((source) => ({ lane: 'l', source })),
    );

    for (const source of SOURCES) {
      equal(await scene.claimIds(), []);
      equal(await resumeLanes(scene.broker, [{ lane: 'l', source }]), ['resumed']);
    }

    equal(await scene.claimIds(), ['a']);
  },

  'resume without a source ends the holds of every source': async (scene) => {
    await scene.submit('a');
    await holdLanes(
      scene.broker,
      SOURCES.map((source) => ({ lane: 'l', source })),
    );

    equal(await resumeLanes(scene.broker, [{ lane: 'l' }]), ['resumed']);

    equal(await scene.claimIds(), ['a']);
  },

  'resume of a lane leaves a hold of all lanes, and the other way round': async (scene) => {
    await scene.submit('a', { id: 'b', lane: 'm' });
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }, { source: 'operator' }]);
    const lanes = ['l', 'm'];
    const both = await scene.claimIds({ lanes });
    await resumeLanes(scene.broker, [{ lane: 'm' }]);
    const still = await scene.claimIds({ lanes });
    await resumeLanes(scene.broker, [{ source: 'operator' }]);
    const other = await scene.claimIds({ lanes });
    await resumeLanes(scene.broker, [{ lane: 'l' }]);

    equal([both, still, other], [[], [], ['b']]);
    equal(await scene.claimIds({ lanes }), ['a']);
  },

  'resume answers none where there is no such hold, each in order': async (scene) => {
    await holdLanes(scene.broker, [
      { lane: 'l', source: 'operator' },
      { lane: 'm', source: 'handler', until: 1 },
      { source: 'handler' },
    ]);

    const answers = await resumeLanes(scene.broker, [
      { lane: 'l', source: 'handler' },
      { lane: 'unknown' },
      { lane: 'm' },
      { source: 'operator' },
      { lane: 'l' },
      { lane: 'l', source: 'operator' },
      {},
      {},
    ]);

    equal(answers, ['none', 'none', 'none', 'none', 'resumed', 'none', 'resumed', 'none']);
    equal(await resumeLanes(scene.broker, []), []);
  },

  'holds lists who, why and until when, by lane and source, those of all lanes first': async (scene) => {
    const at = await scene.now();
    await holdLanes(scene.broker, [
      { lane: 'b', source: 'operator', reason: 'a deploy', by: 'ada', until: at + LONG_MS },
      { lane: 'a', source: 'operator' },
      { lane: 'a', source: 'circuit-breaker', until: at + LONG_MS, probeMs: 500.5 },
      { lane: 'a', source: 'handler', until: at + LONG_MS, reason: 'ünïcödé 🚀\n"' },
      { source: 'operator', reason: 'x'.repeat(512), by: '🚀'.repeat(128) },
    ]);

    const holds = await listHolds(scene.broker);

    const until = at + LONG_MS;
    equal(
      holds.map(({ heldAt: _, ...hold }) => hold),
      [
        { source: 'operator', reason: 'x'.repeat(512), by: '🚀'.repeat(128) },
        { lane: 'a', source: 'circuit-breaker', until, probeMs: 501 },
        { lane: 'a', source: 'handler', until, reason: 'ünïcödé 🚀\n"' },
        { lane: 'a', source: 'operator' },
        { lane: 'b', source: 'operator', reason: 'a deploy', by: 'ada', until },
      ],
    );
    for (const { heldAt } of holds) {
      atLeast(heldAt, at);
      atMost(heldAt, await scene.now());
    }
  },

  'hold keeps odd names of lanes apart': async (scene) => {
    const lanes = ['__proto__', 'constructor', ' ', '*', "'; --", '日本語', 'a:operator', 'x'.repeat(512)];
    await scene.submit(...lanes.map((lane) => ({ id: lane, lane })), 'a');
    await holdLanes(
      scene.broker,
      lanes.map((lane) => ({ lane, source: 'operator' })),
    );

    const claimed = await scene.claimIds({ lanes: [...lanes, 'l'] });
    const listed = (await listHolds(scene.broker)).map(({ lane }) => lane);

    equal(claimed, ['a']);
    equal(new Set(listed), new Set(lanes));
    equal(
      new Set(
        await resumeLanes(
          scene.broker,
          lanes.map((lane) => ({ lane })),
        ),
      ),
      new Set(['resumed']),
    );
    equal(await listHolds(scene.broker), []);
  },

  'hold refuses what no broker could keep, and holds nothing: %s': /* @__PURE__ */ each(
    (): readonly (readonly [what: string, path: string, hold: object])[] => [
      ['an unknown source', 'source', { source: 'somebody' }],
      ['no source', 'source', { source: undefined }],
      ['a long reason', 'reason', { reason: 'x'.repeat(513) }],
      ['an empty author', 'by', { by: '' }],
      ['NaN as until', 'until', { until: Number.NaN }],
      ['text as forMs', 'forMs', { forMs: '5' }],
      ['text as keepLonger', 'keepLonger', { keepLonger: 'no' }],
      ['a probeMs of 0', 'probeMs', { probeMs: 0, forMs: 5 }],
      ['an endless probeMs', 'probeMs', { probeMs: Infinity, forMs: 5 }],
      ['NaN as probeMs', 'probeMs', { probeMs: Number.NaN, forMs: 5 }],
      ['a probeMs without an end', 'probeMs', { probeMs: 5 }],
      ['a probeMs without a lane', 'probeMs', { probeMs: 5, forMs: 5, lane: undefined }],
    ],
    async (scene, [_, path, hold]) => {
      const wrong = { lane: 'l', source: 'operator', ...hold } as const;

      const refused = holdLanes(scene.broker, [{ lane: 'm', source: 'operator' }, wrong]);

      await rejectsWith(refused, { code: 'INVALID_OPTIONS', problems: [{ path: `[1].${path}` }] });
      equal(await listHolds(scene.broker), []);
    },
  ),

  'resume refuses a source that there is not': async (scene) => {
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);

    const refused = resumeLanes(scene.broker, [{ lane: 'l' }, { source: 'somebody' as never }]);

    await rejectsWith(refused, { code: 'INVALID_OPTIONS', problems: [{ path: '[1].source' }] });
    equal((await listHolds(scene.broker)).length, 1);
  },
};
