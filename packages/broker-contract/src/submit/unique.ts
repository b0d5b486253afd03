import { cancelRuns, discardRuns, endRuns, redriveRuns, rescheduleRuns } from '@retry/core/broker/kit';
import { equal, matches, rejectsWith, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { AHEAD_MS, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import type { Happening } from '../settlement-of.ts';
import { uniqueSubmission } from './unique-submission.ts';

const KEPT = { type: 'kept', id: '{k}a' } as const;

/** A unique submission whose conflict keeps the run that is there. */
export const uniqueCases: CasesByName = {
  'unique: keep submits nothing while a run of the key waits, and names that run': async (scene) => {
    equal(await submit(scene, 'a'), ['created']);
    const before = await scene.read('{k}a');

    equal(await submit(scene, 'b'), [KEPT]);

    equal(await scene.read('{k}a'), before);
    equal(await scene.broker.get(['{k}b']), [undefined]);
    matches(await scene.broker.audit(), { created: 1, submitted: 1 });
    equal(await scene.claimIds(), ['{k}a']);
  },

  'unique: a key is taken %s': /* @__PURE__ */ each(
    () => TAKEN,
    async (scene, [_, move]) => {
      await submit(scene, 'a');
      await move(scene);

      equal(await submit(scene, 'b'), [KEPT]);
      matches(await scene.broker.audit(), { created: 1 });
    },
  ),

  'unique: a key is free once its run %s': /* @__PURE__ */ each(
    () => ENDS,
    async (scene, [_, end]) => {
      await submit(scene, 'a');
      await end(scene);

      equal(await submit(scene, 'b'), ['created']);
      equal(await submit(scene, 'c'), [{ type: 'kept', id: '{k}b' }]);
      matches(await scene.broker.audit(), { created: 2 });
    },
  ),

  'unique: a redrive does not give a key back': async (scene) => {
    await submit(scene, 'a');
    await scene.settleNow('fail', await scene.claimOne());
    await redriveRuns(scene.broker, ['{k}a']);

    equal(await submit(scene, 'b'), ['created']);
    matches(await scene.broker.audit(), { created: 2, submitted: 2 });
  },

  'unique: until started, a key is taken while its run waits for the first time': async (scene) => {
    await submit(scene, 'a', { until: 'started' });
    equal(await submit(scene, 'b'), [KEPT]);
    await scene.claim();

    equal(await submit(scene, 'b'), ['created']);
  },

  'unique: until started, a key is taken while its run waits for its time': async (scene) => {
    await submit(scene, 'a', { until: 'started', delayMs: SHORT_MS });
    equal(await submit(scene, 'b'), [KEPT]);
    await scene.advance(PASS_MS);
    equal(await submit(scene, 'b'), [KEPT]);
    await scene.claim();

    equal(await submit(scene, 'b'), ['created']);
  },

  'unique: until started, a key stays free when its run waits again: %s': /* @__PURE__ */ each(
    () => AGAIN,
    async (scene, [_, event]) => {
      await submit(scene, 'a', { until: 'started' });
      await scene.settleNow(event, await scene.claimOne());

      equal(await submit(scene, 'b'), ['created']);
      matches(await scene.broker.audit(), { created: 2, started: 0 });
    },
  ),

  'unique: until started, a run that ends before its start frees the key': async (scene) => {
    await submit(scene, 'a', { until: 'started' });
    await cancelRuns(scene.broker, ['{k}a']);

    equal(await submit(scene, 'b'), ['created']);
  },

  'unique: what the run that has the key was submitted with decides, not the later submission': async (
    scene,
  ) => {
    await submit(scene, 'a', { until: 'ended' });
    await scene.claim();

    equal(await submit(scene, 'b', { until: 'started' }), [KEPT]);
    equal(await submit(scene, 'b', { until: 1 }), [KEPT]);
  },

  'unique: for a time, a key is taken until that has passed, although its run %s': /* @__PURE__ */ each(
    () => [...ENDS, ['has started', (scene: CaseScene) => scene.claim()] as const],
    async (scene, [_, move]) => {
      await submit(scene, 'a', { until: LONG_MS });
      await move(scene);

      equal(await submit(scene, 'b', { until: LONG_MS }), [KEPT]);
      matches(await scene.broker.audit(), { created: 1 });
    },
  ),

  'unique: for a time, a key is free afterwards, although its run waits': async (scene) => {
    await submit(scene, 'a', { until: AHEAD_MS, delayMs: LONG_MS });
    equal(await submit(scene, 'b', { until: LONG_MS }), [KEPT]);
    await scene.advance(AHEAD_MS + PASS_MS);

    equal(await submit(scene, 'b', { until: LONG_MS }), ['created']);
    equal(await submit(scene, 'c'), [{ type: 'kept', id: '{k}b' }]);
    strictEqual((await scene.read('{k}a')).state, 'scheduled');
  },

  'unique: for a time, submissions that were kept do not begin it anew': async (scene) => {
    await submit(scene, 'a', { until: AHEAD_MS });
    await scene.advance(AHEAD_MS / 3);
    equal(await submit(scene, 'b', { until: LONG_MS }), [KEPT]);
    await scene.advance(AHEAD_MS);

    equal(await submit(scene, 'b', { until: LONG_MS }), ['created']);
  },

  'unique: a time that no instant can end lasts': async (scene) => {
    await submit(scene, 'a', { until: Infinity });

    equal(await submit(scene, 'b', { until: 1e300 }), [KEPT]);
  },

  'unique: keys are compared as they are': async (scene) => {
    const keys = ['k', 'K', 'k ', '{k', 'kü', 'ключ', '0', 'k:k', 'l'];
    for (const key of keys) equal(await submit(scene, 'a', { key }), ['created']);

    for (const key of keys) equal(await submit(scene, 'b', { key }), [{ type: 'kept', id: `{${key}}a` }]);
    matches(await scene.broker.audit(), { created: keys.length });
  },

  'unique: one key is for all lanes': async (scene) => {
    await submit(scene, 'a', { lane: 'x' });

    equal(await submit(scene, 'b', { lane: 'y' }), [KEPT]);
  },

  'unique: a known id is answered exists before its key is looked at': async (scene) => {
    equal(await submit(scene, 'a'), ['created']);

    equal(await submit(scene, 'a'), ['exists']);
    equal(await submit(scene, 'a', { onConflict: 'replace' }), ['exists']);
    matches(await scene.broker.audit(), { created: 1, submitted: 1 });
  },

  'unique: submissions of one call are answered in order': async (scene) => {
    const plain = { id: 'plain', lane: 'l', payload: '{}' };
    const answers = await scene.broker.submit([
      uniqueSubmission('a'),
      plain,
      uniqueSubmission('b'),
      uniqueSubmission('a', { key: 'other' }),
      uniqueSubmission('a'),
      plain,
    ]);

    equal(answers, ['created', 'created', KEPT, 'created', 'exists', 'exists']);
    equal(await scene.claimIds(), ['{k}a', 'plain', '{other}a']);
  },

  'unique: submissions at the same time leave one run': async (scene) => {
    const names = Array.from({ length: 20 }, (_, index) => `${index}`);

    const answers = await Promise.all(names.map((name) => submit(scene, name)));

    strictEqual(answers.filter(([answer]) => answer === 'created').length, 1);
    const [claimed, ...others] = await scene.claim();
    equal(others, []);
    const kept = answers.flat().filter((answer) => answer !== 'created');
    equal(
      kept,
      names.slice(1).map(() => ({ type: 'kept', id: claimed?.run.id })),
    );
  },

  'unique: payload, policy, concurrency, time and result of the run are as submitted': async (scene) => {
    const payload = JSON.stringify('é'.repeat(100_000));
    const concurrency = { key: 'c', limit: 1, whenFull: 'wait' } as const;
    const extras = { retry: '{"maxAttempts":7}', origin: 'first' };
    await submit(scene, 'a', { payload, concurrency, delayMs: LONG_MS, keepResultMs: LONG_MS, ...extras });
    equal(await submit(scene, 'b', { payload }), [KEPT]);

    matches(await scene.read('{k}a'), { state: 'scheduled', payload, concurrency, ...extras });
    equal(await rescheduleRuns(scene.broker, [{ id: '{k}a' }]), ['rescheduled']);
    const [claimed] = await scene.claim();
    strictEqual(claimed?.run.payload, payload);
  },

  'unique: many keys of which most are free are forgotten in passing, and those that are taken are not':
    async (scene) => {
      const keys = Array.from({ length: 60 }, (_, index) => `k${index}`);
      await scene.broker.submit(keys.map((key) => uniqueSubmission('a', { key })));
      await cancelRuns(
        scene.broker,
        keys.slice(0, 50).map((key) => `{${key}}a`),
      );

      for (let round = 0; round < 5; round += 1)
        await scene.broker.submit(keys.map((key) => uniqueSubmission('a', { key: `${round}:${key}` })));

      const again = await scene.broker.submit(keys.map((key) => uniqueSubmission('b', { key })));
      equal(
        again.slice(0, 50),
        keys.slice(0, 50).map(() => 'created'),
      );
      equal(
        again.slice(50),
        keys.slice(50).map((key) => ({ type: 'kept', id: `{${key}}a` })),
      );
    },

  'unique: what cannot be a key or its use is refused: %s': /* @__PURE__ */ each(
    () => REFUSED,
    async (scene, [_, submission]) => {
      await rejectsWith(scene.broker.submit([submission]), { code: 'INVALID_OPTIONS' });
      matches(await scene.broker.audit(), { created: 0 });
    },
  ),
};

function submit(
  { broker }: Pick<CaseScene, 'broker'>,
  name: string,
  options?: Parameters<typeof uniqueSubmission>[1],
) {
  return broker.submit([uniqueSubmission(name, options)]);
}

const AGAIN: readonly (readonly [name: string, happening: Happening])[] = [
  ['a retry for later', (at) => ({ type: 'retry', at, runAt: at + LONG_MS })],
  ['a retry now', 'retry'],
  ['a release', 'release'],
];

/** What may happen to run `a`. */
type Move = (scene: CaseScene) => Promise<unknown>;

const settleOnly =
  (happening: Happening): Move =>
  async (scene) =>
    scene.settleNow(happening, await scene.claimOne());

const TAKEN: readonly (readonly [when: string, move: Move])[] = [
  ['while its run is started', (scene) => scene.claim()],
  ...AGAIN.map(([name, event]) => [`while its run waits after ${name}`, settleOnly(event)] as const),
  [
    'after a reschedule of its run',
    (scene) => rescheduleRuns(scene.broker, [{ id: '{k}a', delayMs: LONG_MS }]),
  ],
  [
    'while a started run has a cancel request',
    async (scene) => {
      await scene.claim();
      await cancelRuns(scene.broker, ['{k}a']);
    },
  ],
  [
    'while the lease of its run has expired',
    async (scene) => {
      await scene.claim({ leaseMs: SHORT_MS });
      await scene.advance(PASS_MS);
    },
  ],
];

const ENDS: readonly (readonly [how: string, end: Move])[] = [
  ['is completed', settleOnly('complete')],
  ['has failed', settleOnly('fail')],
  ['is dropped', settleOnly('drop')],
  ['is cancelled while it waits', (scene) => cancelRuns(scene.broker, ['{k}a'])],
  ['is ended by hand', (scene) => endRuns(scene.broker, [{ id: '{k}a', as: 'completed', result: '1' }])],
  [
    'is discarded',
    async (scene) => {
      await scene.settleNow('complete', await scene.claimOne());
      await discardRuns(scene.broker, ['{k}a']);
    },
  ],
];

const REFUSED = [
  ['a key that is not the tag of the id', { ...uniqueSubmission('a'), id: 'a' }],
  ['an empty key', uniqueSubmission('a', { key: '' })],
  ['a key with the end of a tag', uniqueSubmission('a', { key: 'k}' })],
  ['a key that is too long', uniqueSubmission('a', { key: 'k'.repeat(441) })],
  ['no time', uniqueSubmission('a', { until: 0 })],
  ['NaN', uniqueSubmission('a', { until: Number.NaN })],
  ['an id that is an idempotency key', { ...uniqueSubmission('a'), keyed: true }],
] as const;
