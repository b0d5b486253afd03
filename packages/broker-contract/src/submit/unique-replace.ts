import type { Submission, SubmitAnswer } from '@retry/core/broker';
import { cancelRuns, endRuns, redriveRuns } from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { AHEAD_MS, LONG_MS, PASS_MS } from '../case-scene.ts';
import { retryIn } from '../settlement-of.ts';
import { uniqueSubmission } from './unique-submission.ts';

const REPLACED = { type: 'replaced', id: '{k}a' } as const;

/** A unique submission whose conflict replaces the run that is there. */
export const uniqueReplaceCases: CasesByName = {
  'unique: replace cancels a run that waits %s, and submits the new one': /* @__PURE__ */ each(
    () => WAITING,
    async (scene, [_, prepare]) => {
      await prepare(scene);
      const { createdAt, startedAt, failures, errors } = await scene.read('{k}a');

      equal(await replace(scene, 'b'), [REPLACED]);

      matches(await scene.read('{k}a'), { state: 'cancelled', createdAt, startedAt, failures, errors });
      matches(await scene.read('{k}b'), { state: 'submitted', epoch: 0 });
      matches(await scene.broker.audit(), {
        submitted: 1,
        scheduled: 0,
        started: 0,
        ended: { cancelled: 1 },
      });
      equal(await scene.claimIds(), ['{k}b']);
    },
  ),

  'unique: replace of a free key submits the run': async (scene) => {
    equal(await replace(scene, 'a'), ['created']);
    await cancelRuns(scene.broker, ['{k}a']);

    equal(await replace(scene, 'b'), ['created']);
    equal(await keep(scene, 'c'), [{ type: 'kept', id: '{k}b' }]);
  },

  'unique: replace takes the key from a started run, which goes on': async (scene) => {
    await keep(scene, 'a');
    const [claimed] = await scene.claim();

    equal(await replace(scene, 'b'), ['created']);

    const run = await scene.read('{k}a');
    equal([run.state, run.isCancelRequested], ['started', undefined]);
    equal(await keep(scene, 'c'), [{ type: 'kept', id: '{k}b' }]);
    equal(await scene.settleNow('complete', claimed), ['ok']);
    equal(await keep(scene, 'c'), [{ type: 'kept', id: '{k}b' }]);
  },

  'unique: replace leaves a run that lost its key to go on, although it waits again': async (scene) => {
    await keep(scene, 'a');
    const claimed = await scene.claimOne();
    await replace(scene, 'b');
    await scene.settleNow(retryIn(LONG_MS), claimed);

    equal(await replace(scene, 'c'), [{ type: 'replaced', id: '{k}b' }]);
    strictEqual((await scene.read('{k}a')).state, 'scheduled');
  },

  'unique: replace leaves a run whose key was free: %s': /* @__PURE__ */ each(
    () => FREE,
    async (scene, [_, prepare]) => {
      await prepare(scene);
      const before = await scene.read('{k}a');

      equal(await replace(scene, 'b'), ['created']);
      equal(await scene.read('{k}a'), before);
    },
  ),

  'unique: each replace of a run that is to wait moves the start, so that only the last one runs': async (
    scene,
  ) => {
    const answers: SubmitAnswer[] = [];
    for (const name of ['a', 'b', 'c']) answers.push(...(await replace(scene, name, { delayMs: AHEAD_MS })));

    equal(answers, ['created', REPLACED, { type: 'replaced', id: '{k}b' }]);
    equal(await scene.claimIds(), []);
    await scene.advance(AHEAD_MS + PASS_MS);
    equal(await scene.claimIds(), ['{k}c']);
    matches(await scene.broker.audit(), { created: 3, started: 1, ended: { cancelled: 2 } });
  },

  'unique: for a time, each replace begins it anew': async (scene) => {
    await replace(scene, 'a', { until: AHEAD_MS });
    await scene.advance(AHEAD_MS / 2);
    equal(await replace(scene, 'b', { until: LONG_MS }), [REPLACED]);
    await scene.advance(AHEAD_MS);

    equal(await keep(scene, 'c', { until: LONG_MS }), [{ type: 'kept', id: '{k}b' }]);
  },

  'unique: for a time, replace submits although the run of the key has ended': async (scene) => {
    await keep(scene, 'a', { until: LONG_MS });
    await cancelRuns(scene.broker, ['{k}a']);

    equal(await replace(scene, 'b', { until: LONG_MS }), ['created']);
    equal(await keep(scene, 'c'), [{ type: 'kept', id: '{k}b' }]);
  },

  'unique: replacements in one call leave the last one': async (scene) => {
    const plain = { id: 'plain', lane: 'l', payload: '{}' };
    const answers = await scene.broker.submit([
      replacing('a'),
      plain,
      replacing('b', { delayMs: LONG_MS }),
      replacing('c'),
      uniqueSubmission('d'),
      replacing('b'),
    ]);

    equal(answers, [
      ...['created', 'created', REPLACED, { type: 'replaced', id: '{k}b' }],
      ...[{ type: 'kept', id: '{k}c' }, 'exists'],
    ]);
    equal(await scene.claimIds(), ['plain', '{k}c']);
    matches(await scene.broker.audit(), { created: 4, ended: { cancelled: 2 } });
  },

  'unique: replacements at the same time leave one run that waits': async (scene) => {
    const names = Array.from({ length: 20 }, (_, index) => `${index}`);

    const answers = (await Promise.all(names.map((name) => replace(scene, name)))).flat();

    strictEqual(answers.filter((answer) => answer === 'created').length, 1);
    const replaced = answers.flatMap((answer) => (typeof answer === 'string' ? [] : [answer.id]));
    strictEqual(new Set(replaced).size, names.length - 1);
    matches(await scene.broker.audit(), { submitted: 1, ended: { cancelled: names.length - 1 } });
    strictEqual((await scene.claim()).length, 1);
  },

  'unique: replacements and claims at the same time leave one run that waits': async (scene) => {
    const names = Array.from({ length: 20 }, (_, index) => `${index}`);
    const results = await Promise.all(
      names.map((name) => Promise.all([replace(scene, name), scene.claimIds({ limit: 1 })])),
    );

    const answers = results.flatMap(([answer]) => answer);
    const claimed = results.flatMap(([_, ids]) => ids);
    const replaced = answers.flatMap((answer) => (typeof answer === 'string' ? [] : [answer.id]));
    const { submitted, started, ended } = await scene.broker.audit();
    equal(
      replaced.filter((id) => claimed.includes(id)),
      [],
    );
    equal([started, ended.cancelled], [claimed.length, replaced.length]);
    equal(submitted + claimed.length + replaced.length, names.length);
    strictEqual(submitted <= 1, true);
  },

  'unique: replace frees the place of a run that waited for its concurrency key': async (scene) => {
    const concurrency = { key: 'c', limit: 1, whenFull: 'wait' } as const;
    await scene.submit({ id: 'first', concurrency }, { id: 'second', concurrency });
    await scene.claim({ limit: 1 });
    await keep(scene, 'a', { concurrency });
    equal(await scene.claimIds(), []);

    equal(await replace(scene, 'b', { concurrency }), [REPLACED]);

    await scene.settleNow('complete', 'first');
    equal(await scene.claimIds(), ['second']);
    matches(await scene.broker.audit(), { submitted: 1, ended: { cancelled: 1, completed: 1 } });
  },
};

type Options = Parameters<typeof uniqueSubmission>[1];

function replacing(name: string, options?: Options): Submission {
  return uniqueSubmission(name, { onConflict: 'replace', ...options });
}

function replace({ broker }: CaseScene, name: string, options?: Options) {
  return broker.submit([replacing(name, options)]);
}

function keep({ broker }: CaseScene, name: string, options?: Options) {
  return broker.submit([uniqueSubmission(name, options)]);
}

/** Submits `a`, claims it, and sends it back. */
async function retryOnce(scene: CaseScene, { delayMs, ...options }: NonNullable<Options>): Promise<void> {
  await keep(scene, 'a', options);
  await scene.settleNow(retryIn(delayMs ?? 0), await scene.claimOne());
}

const WAITING = [
  ['in its lane', (scene: CaseScene): Promise<unknown> => keep(scene, 'a')],
  ['to start', (scene: CaseScene) => keep(scene, 'a', { until: 'started' })],
  ['for its time', (scene: CaseScene) => keep(scene, 'a', { delayMs: LONG_MS })],
  ['within the time of its key', (scene: CaseScene) => keep(scene, 'a', { until: LONG_MS })],
  ['for a retry', (scene: CaseScene) => retryOnce(scene, { delayMs: LONG_MS })],
  ['after a retry', (scene: CaseScene) => retryOnce(scene, {})],
] as const;

const FREE = [
  [
    'it was to be taken until the start',
    (scene: CaseScene): Promise<unknown> => retryOnce(scene, { until: 'started', delayMs: LONG_MS }),
  ],
  [
    'its time is over',
    async (scene: CaseScene) => {
      await keep(scene, 'a', { until: 1, delayMs: LONG_MS });
      await scene.advance(PASS_MS);
    },
  ],
  [
    'it was redriven',
    async (scene: CaseScene) => {
      await keep(scene, 'a');
      await endRuns(scene.broker, [{ id: '{k}a', as: 'failed', error: { name: 'E', message: 'by hand' } }]);
      await redriveRuns(scene.broker, ['{k}a']);
    },
  ],
] as const;
