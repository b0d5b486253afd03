import { holdLanes, listHolds, resumeLanes } from '@retry/core/broker/kit';
import { atLeast, atMost, equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { AHEAD_MS, idsIn, LONG_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** What a lane on hold means for claims, and when it ends. */
export const holdCases: CasesByName = {
  'hold stops claims of a lane, and of no other': async (scene) => {
    await scene.submit('a', { id: 'b', lane: 'm' });

    strictEqual(await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]), undefined);

    equal(await scene.claimIds({ lanes: ['l', 'm'] }), ['b']);
    equal(await scene.claimIds({ lanes: ['l'] }), []);
  },

  'hold without a lane stops claims of all lanes': async (scene) => {
    await scene.submit('a', { id: 'b', lane: 'm' });
    await holdLanes(scene.broker, [{ source: 'operator' }]);
    await scene.submit({ id: 'c', lane: 'new' });

    const lanes = ['l', 'm', 'new'];
    equal(await scene.claimIds({ lanes }), []);
    equal(await resumeLanes(scene.broker, [{}]), ['resumed']);
    equal(await scene.claimIds({ lanes }), ['a', 'b', 'c']);
  },

  'hold may be put on a lane that has no runs yet': async (scene) => {
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);

    await scene.submit('a');

    equal(await scene.claimIds(), []);
    strictEqual((await scene.read('a')).state, 'submitted');
  },

  'hold changes no run': async (scene) => {
    const started = await scene.start('a');
    await scene.submit('b', { id: 'c', delayMs: LONG_MS });
    const before = await scene.broker.get(['a', 'b', 'c']);

    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }, { source: 'operator' }]);
    await scene.claim();

    equal(await scene.broker.get(['a', 'b', 'c']), before);
    matches(await scene.broker.audit(), { submitted: 1, scheduled: 1, started: 1 });
    strictEqual(started.releases, 0);
  },

  'hold lets runs that are started go on': async (scene) => {
    const run = await scene.start('a');
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);
    const done = settlementOf(run, { type: 'complete', at: await scene.now() });

    equal(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS), ['ok']);
    equal(await scene.settle(done), ['ok']);
  },

  'hold settles runs of its lane and claims those of others in one call': async (scene) => {
    await scene.submit('a', { id: 'b', lane: 'm' });
    const [first] = await scene.claim();
    if (first === undefined) throw new Error('one run must be claimed');
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);
    const lanes = new Map([
      ['l', 5],
      ['m', 5],
    ]);

    const { settled, claimed } = await scene.broker.exchange({
      settle: [settlementOf(first.run, { type: 'release', at: await scene.now() })],
      claim: { worker: 'w', requestId: 'both', limit: 5, lanes, leaseMs: LONG_MS },
    });

    equal(settled, ['ok']);
    equal(idsIn(claimed), ['b']);
  },

  'hold does not change what a repeated claim returns': async (scene) => {
    await scene.submit('a', 'b');
    const first = await scene.claimIds({ requestId: 'lost' });
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);

    const again = await scene.claimIds({ requestId: 'lost' });

    equal(
      [first, again],
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    );
  },

  'hold ends by itself, by the clock of the broker, with': /* @__PURE__ */ each(
    () => ['until', 'forMs'] as const,
    async (scene, key) => {
      await scene.submit('a');
      const end = key === 'until' ? (await scene.now()) + AHEAD_MS : AHEAD_MS;
      await holdLanes(scene.broker, [{ lane: 'l', source: 'handler', [key]: end }]);
      const early = await scene.claimIds();
      await scene.advance(AHEAD_MS);

      equal(early, []);
      equal(await scene.claimIds(), ['a']);
      equal(await listHolds(scene.broker), []);
    },
  ),

  'hold that is over when it begins is none': /* @__PURE__ */ each(
    () => [{ until: 0 }, { until: -1e300 }, { until: 5, forMs: -5 }, { forMs: 0 }],
    async (scene, end) => {
      await scene.submit('a');

      await holdLanes(scene.broker, [{ lane: 'l', source: 'operator', ...end }]);

      equal(await scene.claimIds(), ['a']);
      equal(await listHolds(scene.broker), []);
      equal(await resumeLanes(scene.broker, [{ lane: 'l' }]), ['none']);
    },
  ),

  'hold takes the later of until and forMs, fractions up': async (scene) => {
    const at = await scene.now();
    await holdLanes(scene.broker, [
      { lane: 'a', source: 'operator', until: at + 3 * LONG_MS, forMs: LONG_MS },
      { lane: 'b', source: 'operator', until: at + 1, forMs: LONG_MS },
      { lane: 'c', source: 'operator', until: at + LONG_MS + 0.25 },
    ]);

    const [first, second, third] = await listHolds(scene.broker);

    strictEqual(first?.until, at + 3 * LONG_MS);
    atLeast(second?.until, at + LONG_MS);
    atMost(second?.until, (await scene.now()) + LONG_MS);
    strictEqual(third?.until, at + LONG_MS + 1);
  },

  'hold replaces the one of the same lane and source, also by one that ends sooner': async (scene) => {
    await scene.submit('a');
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator', reason: 'first', by: 'ada' }]);
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator', forMs: LONG_MS, reason: 'second' }]);
    const [second, ...others] = await listHolds(scene.broker);
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator', until: 1 }]);

    equal([second?.reason, second?.by, others], ['second', undefined, []]);
    equal(await scene.claimIds(), ['a']);
  },

  'hold with keepLonger leaves one that ends later, or not by itself': async (scene) => {
    const at = await scene.now();
    const known = [
      { lane: 'a', source: 'handler', until: at + 2 * LONG_MS },
      { lane: 'b', source: 'handler' },
    ] as const;
    await holdLanes(scene.broker, known);

    await holdLanes(
      scene.broker,
      known.map(({ lane, source }) => ({ lane, source, until: at + LONG_MS, keepLonger: true })),
    );

    const holds = await listHolds(scene.broker);
    equal(
      holds.map(({ lane, until }) => [lane, until]),
      [
        ['a', at + 2 * LONG_MS],
        ['b', undefined],
      ],
    );
  },

  'hold with keepLonger replaces one that ends sooner, and none of another source': async (scene) => {
    const at = await scene.now();
    await holdLanes(scene.broker, [
      { lane: 'a', source: 'handler', until: at + LONG_MS },
      { lane: 'b', source: 'handler', until: at + LONG_MS },
      { lane: 'c', source: 'operator' },
    ]);

    await holdLanes(scene.broker, [
      { lane: 'a', source: 'handler', until: at + 2 * LONG_MS, keepLonger: true },
      { lane: 'b', source: 'handler', keepLonger: true },
      { lane: 'c', source: 'handler', until: at + LONG_MS, keepLonger: true },
      { lane: 'd', source: 'handler', until: at + LONG_MS, keepLonger: true },
    ]);

    const holds = await listHolds(scene.broker);
    equal(
      holds.map(({ lane, source, until }) => [lane, source, until]),
      [
        ['a', 'handler', at + 2 * LONG_MS],
        ['b', 'handler', undefined],
        ['c', 'handler', at + LONG_MS],
        ['c', 'operator', undefined],
        ['d', 'handler', at + LONG_MS],
      ],
    );
  },

  'hold takes several of one lane and source in order: the last one holds': async (scene) => {
    await holdLanes(scene.broker, [
      { lane: 'l', source: 'operator', reason: 'first' },
      { lane: 'l', source: 'operator', reason: 'second' },
      { lane: 'l', source: 'operator', reason: 'third', forMs: LONG_MS, keepLonger: true },
    ]);

    equal(
      (await listHolds(scene.broker)).map(({ reason }) => reason),
      ['second'],
    );
    await holdLanes(scene.broker, []);
  },

  'hold is a note: one that is written by itself, or deleted, counts as well': async (scene) => {
    const { notes } = scene.broker;
    await scene.submit('a', { id: 'b', lane: 'm/n' });
    const lanes = ['l', 'm/n'];
    await notes.write([
      { key: 'hold/operator/l', value: '{"reason":"why"}' },
      { key: 'hold/handler/m/n', value: 'no JSON', ttlMs: LONG_MS },
      { key: 'holds', value: 'none' },
    ]);
    const held = await scene.claimIds({ lanes });
    const listed = (await listHolds(scene.broker)).map(({ lane, source, reason }) => [lane, source, reason]);
    await notes.write([{ key: 'hold/handler/m/n', value: null }]);
    const other = await scene.claimIds({ lanes });
    await resumeLanes(scene.broker, [{ lane: 'l' }]);

    equal([held, other, await scene.claimIds({ lanes })], [[], ['b'], ['a']]);
    equal(listed, [
      ['l', 'operator', 'why'],
      ['m/n', 'handler', undefined],
    ]);
    equal(
      (await notes.read({ prefix: '', limit: 9 })).notes.map(({ key }) => key),
      ['holds'],
    );
  },

  'hold is put on a thousand lanes by one call, and each is resumed': async (scene) => {
    const lanes = Array.from({ length: 1_000 }, (_, index) => `lane-${String(index).padStart(3, '0')}`);
    await scene.submit(...lanes.map((lane) => ({ id: lane, lane })));
    await holdLanes(
      scene.broker,
      lanes.map((lane) => ({ lane, source: 'operator' })),
    );
    const held = await scene.claimIds({ lanes });
    const listed = await listHolds(scene.broker);
    const answers = await resumeLanes(
      scene.broker,
      lanes.map((lane) => ({ lane })),
    );

    equal(
      listed.map(({ lane }) => lane),
      lanes,
    );
    equal([held, new Set(answers)], [[], new Set(['resumed'])]);
    equal((await scene.claimIds({ lanes })).length, 1_000);
  },
};
