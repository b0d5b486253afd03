import type { Run } from '@retry/core/broker';
import { endRuns, redriveRuns, rescheduleRuns } from '@retry/core/broker/kit';
import { atMost, equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { AHEAD_MS, idsIn, LONG_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';
import { idsOf, keyed } from './keyed.ts';

/** Keys of which some broker would take one for another, or lose one. */
const ODD_KEYS: readonly string[] = [
  ...['t', 't ', ' t', 'T', 'ť', 't\u0001', 't,', 't:1', '{t}', "'", '"', '\\', '%', '0', '-', '\u{1f680}'],
  ...['__proto__', 'x'.repeat(512), `${'x'.repeat(511)}y`],
];

/** The keys of a lane take turns. */
export const fairnessCases: CasesByName = {
  'fairness: keys take turns, whatever was submitted first: %s': /* @__PURE__ */ each(
    () =>
      [
        ['in one claim', 100],
        ['in claims of one', 1],
        ['in claims of three', 3],
      ] as const,
    async (scene, [, limit]) => {
      await scene.submit(...keyed('t1', 't2', 't3', 't4', 't5', 'b1', 'b2', 'c1'));

      const claimed: string[] = [];
      for (let round = 0; round < 9; round++) claimed.push(...(await scene.claimIds({ limit })));

      equal(claimed, ['t1', 'b1', 'c1', 't2', 'b2', 't3', 't4', 't5']);
    },
  ),

  'fairness: runs submitted one by one take turns as those of one call': async (scene) => {
    for (const run of keyed('t1', 't2', 'b1', 't3', 'b2')) await scene.submit(run);

    equal(await scene.claimIds(), ['t1', 'b1', 't2', 'b2', 't3']);
  },

  'fairness: runs without a key stand in the lane as ever': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 't3'), 'p1', 'p2');

    const first = await scene.claimIds({ limit: 1 });
    await scene.submit('p3');

    equal(first, ['t1']);
    equal(await scene.claimIds(), ['p1', 'p2', 't2', 'p3', 't3']);
  },

  'fairness: a key that has no run waiting has a turn again with its next one': async (scene) => {
    await scene.submit(...keyed('t1', 't2'));
    const both = await scene.claimIds();
    await scene.submit('p1', ...keyed('t3', 't4'), 'p2');

    equal(
      [both, await scene.claimIds()],
      [
        ['t1', 't2'],
        ['p1', 't3', 'p2', 't4'],
      ],
    );
  },

  'fairness: a claim is filled by runs of one key, in their order': async (scene) => {
    await scene.submit(...keyed(...idsOf('t', 300)));

    const claimed = [...(await scene.claimIds({ limit: 7 })), ...(await scene.claimIds({ limit: 200 }))];

    equal(claimed, idsOf('t', 207));
    equal(await scene.claimIds(), idsOf('t', 300).slice(207));
  },

  'fairness: a key with a thousand runs delays one with ten by one start each, in claims of':
    /* @__PURE__ */ each(
      () => [1, 7],
      async (scene, limit) => {
        await scene.submit(...keyed(...idsOf('t', 1_000)));
        await scene.submit(...keyed(...idsOf('b', 10)));

        const claimed: string[] = [];
        while (claimed.length < 21) claimed.push(...(await scene.claimIds({ limit })));
        const rest = await scene.claimIds();

        for (const [index, id] of idsOf('b', 10).entries()) atMost(claimed.indexOf(id), 2 * index + 1);
        equal(
          [...claimed, ...rest].filter((id) => id.startsWith('t')),
          idsOf('t', 1_000),
        );
        equal(
          claimed.filter((id) => id.startsWith('b')),
          idsOf('b', 10),
        );
      },
    ),

  'fairness: each lane has turns of its own': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 'b1').map((run) => ({ ...run, lane: 'm' })));
    await scene.submit(...keyed('t3', 't4', 'b2'));

    equal(await scene.claimIds({ lanes: [['m', 2], 'l'], limit: 4 }), ['t1', 'b1', 't3', 'b2']);
    equal(await scene.claimIds({ lanes: ['m', 'l'] }), ['t2', 't4']);
  },

  'fairness: keys and lanes are never taken for others': async (scene) => {
    const both = ODD_KEYS.flatMap((fairnessKey, index) =>
      [1, 2].map((number) => ({ id: `${index}-${number}`, fairnessKey })),
    );
    await scene.submit(...both);
    await scene.submit(
      ...[1, 2].flatMap((number) => [
        { id: `x${number}`, lane: 'a', fairnessKey: 'b:c' },
        { id: `y${number}`, lane: 'a:b', fairnessKey: 'c' },
      ]),
    );
    const order = (number: number) => ODD_KEYS.map((_, index) => `${index}-${number}`);

    equal(await scene.claimIds(), [...order(1), ...order(2)]);
    equal(await scene.claimIds({ lanes: ['a', 'a:b'] }), ['x1', 'x2', 'y1', 'y2']);
  },

  'fairness: the key is kept with the run, and every read returns it': async (scene) => {
    const fairnessKey = 'tenänt';
    await scene.submit({ id: 'a', fairnessKey }, { id: 'b', fairnessKey, retry: '{}', origin: 'o' });
    const waiting = await scene.broker.get(['a', 'b']);
    const { runs: listed } = await scene.broker.list({ state: 'submitted', limit: 10 });
    const claimed = await scene.claim({ requestId: 'r', leaseMs: AHEAD_MS });
    const again = await scene.claim({ requestId: 'r', leaseMs: AHEAD_MS });
    await scene.advance(AHEAD_MS);
    const expired = await scene.broker.findExpired(10);
    const { runs: bare } = await scene.broker.list({ state: 'started', limit: 10, payloads: 'omit' });

    const answers = [
      waiting,
      listed,
      claimed.map(({ run }) => run),
      again.map(({ run }) => run),
      expired,
      bare,
    ];
    for (const runs of answers) equal(runs.map(keyOf), [fairnessKey, fairnessKey]);
    matches(claimed[1]?.run ?? {}, { retry: '{}', origin: 'o' });
  },

  'fairness: the key does not change by release, retry, reschedule, failure, redrive and end': async (
    scene,
  ) => {
    await scene.submit(...keyed('t1'), 'plain');
    await scene.claim();
    await scene.settleNow((at) => ({ type: 'release', at, runAt: at + LONG_MS }), 't1');
    await rescheduleRuns(scene.broker, [{ id: 't1' }]);
    equal(
      (await scene.claim()).map(({ run }) => keyOf(run)),
      ['t'],
    );
    const at = await scene.now();
    const settlement = settlementOf(await scene.read('t1'), { type: 'retry', at, runAt: at });
    await scene.settle({ ...settlement, next: { ...settlement.next, fairnessKey: 'other' } });
    const plain = settlementOf(await scene.read('plain'), { type: 'retry', at, runAt: at });
    await scene.settle({ ...plain, next: { ...plain.next, fairnessKey: 'other' } });
    equal(
      (await scene.claim()).map(({ run }) => keyOf(run)),
      ['t', undefined],
    );
    await scene.settleNow('fail', 't1');
    await redriveRuns(scene.broker, ['t1']);
    await endRuns(scene.broker, [{ id: 't1', as: 'completed', result: '1' }]);

    matches(await scene.read('t1'), { state: 'completed', fairnessKey: 't' });
  },

  'fairness: a known id takes no turn, and none behind one': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 't1', 't2'));
    const answers = await scene.broker.submit([{ id: 't2', lane: 'l', payload: '{}', fairnessKey: 'b' }]);
    await scene.submit('p');

    equal(answers, ['exists']);
    equal(await scene.claimIds(), ['t1', 'p', 't2']);
    await scene.submit(...keyed('t1'));
    equal(await scene.claimIds(), []);
  },

  'fairness: a repeated claim is answered again, and passes no turn on': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 't3', 'b1'));
    const first = await scene.claim({ limit: 1, requestId: 'r' });
    const again = await scene.claim({ limit: 1, requestId: 'r' });
    await scene.submit('p');

    equal(again, first);
    equal(await scene.claimIds(), ['b1', 't2', 'p', 't3']);
  },

  'fairness: a settlement submits a run by turn': async (scene) => {
    const run = await scene.start('{a}');
    await scene.submit(...keyed('t1', 't2'));
    const submit = { id: '{a}next', lane: 'l', payload: '{}', fairnessKey: 't' };
    await scene.settle({ ...settlementOf(run, { type: 'complete', at: await scene.now() }), submit });
    await scene.submit('p');

    equal(await scene.claimIds(), ['t1', 'p', 't2', '{a}next']);
  },

  'fairness: an exchange settles before it claims': async (scene) => {
    await scene.submit(...keyed('t1', 't2', 'b1'));
    const [claimed] = await scene.claim({ limit: 1 });
    const at = await scene.now();
    const settle = claimed === undefined ? [] : [settlementOf(claimed.run, { type: 'retry', at, runAt: at })];
    const claim = { worker: 'w', requestId: 'r', limit: 9, lanes: new Map([['l', 9]]), leaseMs: LONG_MS };

    const reply = await scene.broker.exchange({ settle, claim });

    equal(reply.settled, ['ok']);
    equal(idsIn(reply.claimed), ['b1', 't2', 't1']);
  },
};

function keyOf(run: Run | undefined): string | undefined {
  return run?.fairnessKey;
}
