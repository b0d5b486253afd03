import type { EndRequest } from '@retry/core/broker';
import { endRuns, redriveRuns } from '@retry/core/broker/kit';
import { atLeast, atMost, equal, matches, rejectsWith, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';
import { completeByHand, failByHand } from './requests.ts';
import { WAITING } from './waiting-runs.ts';

/** What `end` does to a run in each state. */
export const endCases: CasesByName = {
  'end completes a run that waits %s': /* @__PURE__ */ each(
    () => WAITING,
    async (scene, [_, prepare]) => {
      const before = await prepare(scene);
      const at = await scene.now();

      equal(await endRuns(scene.broker, [completeByHand('a', '{"by":"hand"}')]), ['done']);

      const run = await scene.read('a');
      const { endedAt, ...rest } = run;
      equal(
        { ...rest, runAt: 0, submittedAt: 0 },
        {
          ...{ ...before, state: 'completed', result: '{"by":"hand"}' },
          ...{ runAt: 0, submittedAt: 0, endedAt: undefined },
        },
      );
      atLeast(endedAt, at);
      atMost(endedAt, await scene.now());
      matches(await scene.broker.audit(), { submitted: 0, scheduled: 0, ended: { completed: 1 } });
    },
  ),

  'end fails a run that waits %s, uncharged, with the error as its latest': /* @__PURE__ */ each(
    () => WAITING,
    async (scene, [_, prepare]) => {
      const before = await prepare(scene);
      const at = await scene.now();

      equal(await endRuns(scene.broker, [failByHand('a')]), ['done']);

      const { errors, failures, stalls, epoch, state, isDisposable, endedAt } = await scene.read('a');
      equal([state, epoch, failures, stalls], ['failed', before.epoch, before.failures, before.stalls]);
      equal(isDisposable, undefined);
      const latest = errors.at(-1);
      matches(latest, { epoch: before.epoch, name: 'OperatorError', message: 'enough', stack: 'at desk' });
      equal(
        errors.slice(0, -1).map(({ message }) => message),
        before.errors.map(({ message }) => message),
      );
      atLeast(latest?.at, at);
      strictEqual(latest?.at, endedAt);
      equal(await redriveRuns(scene.broker, ['a']), ['redriven']);
      strictEqual((await scene.read('a')).state, 'submitted');
    },
  ),

  'end keeps the facts of its error, and that no policy was asked': async (scene) => {
    await scene.submit('a');
    const counted = { code: 'E1', causeCode: 7, status: 409, retryAfterMs: 1_000 };
    const facts = { ...counted, unrecorded: ['cause', 'errno'] } as const;

    await endRuns(scene.broker, [
      { id: 'a', as: 'failed', error: { name: 'Error', message: 'no', ...facts } },
    ]);

    const [error] = (await scene.read('a')).errors;
    equal({ ...error, at: 0 }, { epoch: 0, at: 0, name: 'Error', message: 'no', ...facts, reason: 'ended' });
  },

  'end leaves the other runs of the lane in their order': async (scene) => {
    await scene.submit('a', 'b', 'c', 'd', 'e');

    equal(await endRuns(scene.broker, [failByHand('a'), completeByHand('c'), failByHand('e')]), [
      'done',
      'done',
      'done',
    ]);
    await scene.submit('f');

    equal(await scene.claimIds(), ['b', 'd', 'f']);
  },

  'end leaves a cancel request for the worker of a started run': async (scene) => {
    const run = await scene.start('a');

    const answers = await endRuns(scene.broker, [completeByHand('a'), failByHand('a')]);

    equal(answers, ['requested', 'requested']);
    equal(await scene.read('a'), { ...run, isCancelRequested: true });
    equal(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS), ['cancel']);
    equal(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], 0), ['cancel']);
  },

  'end is too late for a run that ended as %s': /* @__PURE__ */ each(
    () => ['complete', 'fail', 'stall', 'cancel', 'drop', 'limit'] as const,
    async (scene, type) => {
      const run = await scene.start('a');
      await scene.settle(settlementOf(run, { type, at: await scene.now() }, { result: '1' }));
      const ended = await scene.read('a');

      equal(await endRuns(scene.broker, [completeByHand('a'), failByHand('a')]), ['ended', 'ended']);
      equal(await scene.read('a'), ended);
    },
  ),

  'end answers a whole batch in order, the first request of an id decides': async (scene) => {
    await scene.start({ id: 'started', lane: 'm' });
    await scene.submit('waiting', { id: 'scheduled', delayMs: LONG_MS });

    const answers = await endRuns(scene.broker, [
      failByHand('unknown'),
      completeByHand('scheduled'),
      failByHand('started'),
      failByHand('waiting'),
      completeByHand('waiting'),
      failByHand('scheduled'),
    ]);

    equal(answers, ['gone', 'done', 'requested', 'done', 'ended', 'ended']);
    equal(
      [(await scene.read('waiting')).state, (await scene.read('scheduled')).state],
      ['failed', 'completed'],
    );
    equal(await endRuns(scene.broker, []), []);
  },

  'end ends thousands of runs in one call': async (scene) => {
    const ids = Array.from({ length: 2_500 }, (_, index) => `run-${index}`);
    await scene.submit(...ids.map((id, index) => (index % 3 === 0 ? { id, delayMs: LONG_MS } : id)));

    const requests = ids.map((id, index) => (index % 2 === 0 ? completeByHand(id) : failByHand(id)));
    const answers = await endRuns(scene.broker, requests);

    equal(new Set(answers), new Set(['done']));
    strictEqual(answers.length, ids.length);
    matches(await scene.broker.audit(), {
      submitted: 0,
      scheduled: 0,
      ended: { completed: 1_250, failed: 1_250 },
    });
  },

  'end keeps the latest few errors, and the stack of the latest only': async (scene) => {
    await scene.submit('a');
    for (let round = 0; round < 25; round += 1) {
      const error = { name: 'Error', message: `no. ${round}`, stack: `at ${round}` };
      await endRuns(scene.broker, [{ id: 'a', as: 'failed', error }]);
      await redriveRuns(scene.broker, ['a'], { keepAttempts: true });
    }

    const { errors } = await scene.read('a');

    atLeast(errors.length, 2);
    atMost(errors.length, 20);
    matches(errors.at(-1), { message: 'no. 24', stack: 'at 24' });
    equal(
      errors.flatMap(({ stack }) => stack ?? []),
      ['at 24'],
    );
    equal(
      errors.map(({ message }) => message),
      errors.map((_, index) => `no. ${25 - errors.length + index}`),
    );
  },

  'end makes a dead letter of a run that was disposable before': async (scene) => {
    const run = await scene.start('a');
    await scene.settle(settlementOf(run, { type: 'fail', at: await scene.now() }, { isDisposable: true }));
    await redriveRuns(scene.broker, ['a']);

    await endRuns(scene.broker, [failByHand('a')]);

    const { runs } = await scene.broker.list({ state: 'failed', disposable: 'omit', limit: 10 });
    equal(
      runs.map(({ id, isDisposable }) => [id, isDisposable]),
      [['a', undefined]],
    );
  },

  'end keeps odd and long text unchanged': /* @__PURE__ */ each(
    () => ['', ' ', "'; --", '$1\n\t\\', 'ünïcödé 🚀', '__proto__', 'x'.repeat(300_000)],
    async (scene, text) => {
      await scene.submit('a', 'b');
      const result = JSON.stringify(text);
      const error = { name: 'E', message: text, stack: text };

      await endRuns(scene.broker, [
        { id: 'a', as: 'completed', result },
        { id: 'b', as: 'failed', error },
      ]);

      strictEqual((await scene.read('a')).result === result, true);
      const [latest] = (await scene.read('b')).errors;
      strictEqual(latest?.message === text && latest.stack === text, true);
    },
  ),

  'end refuses what no broker could keep, and ends nothing: %s': /* @__PURE__ */ each(
    (): readonly (readonly [path: string, request: EndRequest])[] => [
      ['result', { id: 'b', as: 'completed', result: undefined as never }],
      ['as', { id: 'b', as: 'cancelled' as never, result: '1' }],
      ['error.name', { id: 'b', as: 'failed', error: { name: '', message: 'x' } }],
      ['error.message', { id: 'b', as: 'failed', error: { name: 'E', message: 5 as never } }],
      ['error.stack', { id: 'b', as: 'failed', error: { name: 'E', message: 'x', stack: null as never } }],
      ['error.code', { id: 'b', as: 'failed', error: { name: 'E', message: 'x', code: 'x'.repeat(65) } }],
      ['error.causeCode', { id: 'b', as: 'failed', error: { name: 'E', message: 'x', causeCode: 'a\0' } }],
      ['error.status', { id: 'b', as: 'failed', error: { name: 'E', message: 'x', status: Number.NaN } }],
      ['error.retryAfterMs', { id: 'b', as: 'failed', error: { name: 'E', message: 'x', retryAfterMs: -1 } }],
    ],
    async (scene, [path, request]) => {
      await scene.submit('a', 'b');

      const refused = endRuns(scene.broker, [failByHand('a'), request]);

      await rejectsWith(refused, { code: 'INVALID_OPTIONS', problems: [{ path: `[1].${path}` }] });
      equal(await scene.claimIds(), ['a', 'b']);
    },
  ),
};
