import type { FigureSources } from '@retry/core/broker/kit';
import { equal, matches, rejectsWith } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { LONG_MS, PASS_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';
import { figuresOf } from './figures-of.ts';

/** An instant long after every case. */
const FROM = 4_000_000_000_000;

/** How waiting runs are spread over attempts, and scheduled ones over time. */
export const insightSpreadCases: CasesByName = {
  'attempts: it counts waiting and scheduled runs by the attempt that they start next': async (scene) => {
    await scene.submit('first', 'second', 'third');
    for (const ids of [['second', 'third'], ['third']]) await failOnce(scene, ids);
    await scene.submit({ id: 'later', delayMs: LONG_MS }, { id: 'other lane', lane: 'm' });

    equal(await figuresOf(scene).attempts({}), {
      counts: [
        { attempt: 1, runs: 3 },
        { attempt: 2, runs: 1 },
        { attempt: 3, runs: 1 },
      ],
      searched: 5,
      isComplete: true,
    });
    matches(await figuresOf(scene).attempts({ lane: 'm' }), { counts: [{ attempt: 1, runs: 1 }] });
    matches(await figuresOf(scene).attempts({ state: 'scheduled' }), { counts: [{ attempt: 1, runs: 1 }] });
    matches(await figuresOf(scene).attempts({ lane: 'm', state: 'scheduled' }), { counts: [], searched: 0 });
  },

  'attempts: it counts releases as no attempts': async (scene) => {
    await scene.settleNow('release', await scene.start('a'));

    matches(await figuresOf(scene).attempts({}), { counts: [{ attempt: 1, runs: 1 }] });
  },

  'attempts: it looks at limit runs at most, and says so': async (scene) => {
    await scene.submit('a', 'b', 'c', { id: 'd', delayMs: LONG_MS });

    matches(await figuresOf(scene).attempts({ limit: 2 }), { searched: 2, isComplete: false });
    matches(await figuresOf(scene).attempts({ limit: 3 }), { searched: 3, isComplete: false });
    matches(await figuresOf(scene).attempts({ limit: 4 }), { searched: 4, isComplete: true });
  },

  'attempts: as many runs as the limit are all of them where no other waits': async (scene) => {
    await scene.submit('a', 'b');

    matches(await figuresOf(scene).attempts({ limit: 2 }), { searched: 2, isComplete: true });
  },

  'due times: it counts a run in the span that begins when it is due, or before': async (scene) => {
    const dues = [FROM - 1, FROM, FROM, FROM + 9, FROM + 10, FROM + 29, FROM + 30, FROM + 1_000];
    await scene.submit(...dues.map((runAt, index) => ({ id: `${index}`, runAt })));
    await scene.submit('waiting');

    matches(await figuresOf(scene).dueTimes({ from: FROM, bucketMs: 10, buckets: 3 }), {
      before: { count: 1, isComplete: true },
      counts: [3, 1, 1],
      after: { count: 2, isComplete: true },
      completeUntil: FROM + 30,
    });
  },

  'due times: it counts the runs of every lane, or of those that are named': async (scene) => {
    const runAt = FROM + 5;
    await scene.submit(
      { id: 'a', lane: 'x', runAt },
      { id: 'b', lane: 'y', runAt },
      { id: 'c', lane: 'y', runAt: 0 },
    );
    const spans = { from: FROM, bucketMs: 10, buckets: 1 };

    matches(await figuresOf(scene).dueTimes(spans), { counts: [2] });
    matches(await figuresOf(scene).dueTimes({ ...spans, lanes: ['y', 'y', 'unknown'] }), { counts: [1] });
    matches(await figuresOf(scene).dueTimes({ ...spans, lanes: [] }), { counts: [0] });
  },

  'due times: it counts due runs that no claim has promoted': async (scene) => {
    const from = await scene.now();
    await scene.submit({ id: 'a', delayMs: 50 });
    await scene.advance(PASS_MS);

    matches(await figuresOf(scene).dueTimes({ from, bucketMs: LONG_MS, buckets: 1 }), { counts: [1] });
  },

  'figures are refused for %s': each(
    () => WRONG,
    async (scene, [, paths, call]) => {
      await rejectsWith(call(figuresOf(scene)), {
        code: 'INVALID_OPTIONS',
        problems: paths.map((path) => ({ path })),
      });
    },
  ),
};

const MANY = Array.from({ length: 1_001 }, (_, index) => `l${index}`);

type Wrong = readonly [
  label: string,
  paths: readonly string[],
  call: (figures: FigureSources) => Promise<unknown>,
];

const WRONG: readonly Wrong[] = [
  ['an empty lane', ['lanes.lanes[1]'], (figures) => figures.lanes({ lanes: ['x', ''] })],
  ['more than 1000 lanes', ['lanes.lanes'], (figures) => figures.lanes({ lanes: MANY })],
  ['an attempt limit of 0', ['attempts.limit'], (figures) => figures.attempts({ limit: 0 })],
  [
    'attempts of a state in which no run waits',
    ['attempts.lane', 'attempts.state'],
    // @ts-expect-error such a state is not in the type
    (figures) => figures.attempts({ lane: '', state: 'completed' }),
  ],
  [
    'spans of no length',
    ['dueTimes.bucketMs'],
    (figures) => figures.dueTimes({ from: FROM, bucketMs: 0, buckets: 1 }),
  ],
  [
    'too many spans, and fractions',
    ['dueTimes.from', 'dueTimes.buckets'],
    (figures) => figures.dueTimes({ from: 0.5, bucketMs: 1, buckets: 1_001 }),
  ],
  [
    'spans that end later than any instant',
    ['dueTimes.bucketMs'],
    (figures) => figures.dueTimes({ from: FROM, bucketMs: 8e15, buckets: 2 }),
  ],
];

async function failOnce(scene: CaseScene, ids: readonly string[]): Promise<void> {
  const claimed = await scene.claim();
  const at = await scene.now();
  await scene.settle(
    ...claimed.map(({ run }) =>
      settlementOf(run, ids.includes(run.id) ? { type: 'retry', at, runAt: at } : { type: 'release', at }),
    ),
  );
}
