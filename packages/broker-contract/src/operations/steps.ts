import { discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { failEach, operationOf, operationsOf, stepOf } from './planned.ts';

const MOVES = { redrive: redriveRuns, discard: discardRuns } as const;

/** What the steps of operations do, and count. */
export const operationStepsCases: CasesByName = {
  'a step of an operation redrives, counts, and says where the next one begins': async (scene) => {
    await failEach(scene, 'a', 'b', 'c');
    await operationsOf(scene).put(operationOf('o'));
    await redriveRuns(scene.broker, ['c']);

    const operation = await stepOf(scene, { skipped: 2 });
    const answers = await redriveRuns(scene.broker, ['a', 'b', 'c', 'unknown'], { operation });

    equal(answers, ['redriven', 'redriven', 'refused', 'gone']);
    matches(await operationsOf(scene).get('o'), { state: 'running', done: 2, skipped: 4 });
    matches(await operationsOf(scene).claim({ carrier: 'w', leaseMs: LONG_MS }), {
      epoch: 2,
      progress: 'after 1',
      operation: { done: 2, skipped: 4 },
    });
    equal(await scene.claimIds(), ['c', 'a', 'b']);
  },

  'a step of an operation discards, and counts': async (scene) => {
    await failEach(scene, 'a', 'b');
    await operationsOf(scene).put(operationOf('o', { kind: 'discard', planned: 2 }));

    const operation = await stepOf(scene, { isLast: true });
    equal(await discardRuns(scene.broker, ['a', 'unknown', 'b'], { operation }), [
      'discarded',
      'gone',
      'discarded',
    ]);

    matches(await operationsOf(scene).get('o'), { state: 'done', done: 2, skipped: 1 });
  },

  'a step of an operation counts runs that have changed since they were read as skipped': async (scene) => {
    await failEach(scene, 'a', 'b');
    await operationsOf(scene).put(operationOf('o'));
    const { runs } = await scene.broker.get(['a', 'b'], { answer: 'seen' });
    const changes = runs.flatMap((one) =>
      one === undefined ? [] : [{ id: one.run.id, seen: one.seen, next: 'forget' } as const],
    );
    await redriveRuns(scene.broker, ['a']);

    const operation = await stepOf(scene, { skipped: 1 });
    equal(await scene.broker.change(changes, { operation }), ['changed', 'done']);

    matches(await operationsOf(scene).get('o'), { done: 1, skipped: 2 });
    equal(await scene.broker.change(changes, { operation }), 'fenced');
    equal(await scene.broker.change([], { operation: { ...operation, epoch: 9 } }), 'fenced');
  },

  'a step of an operation that is sent again is fenced, and changes nothing: %s': /* @__PURE__ */ each(
    () => ['redrive', 'discard'] as const,
    async (scene, verb) => {
      await failEach(scene, 'a', 'b');
      await operationsOf(scene).put(operationOf('o'));
      const operation = await stepOf(scene);
      await MOVES[verb](scene.broker, ['a'], { operation });
      const before = await operationsOf(scene).get('o');

      equal(await MOVES[verb](scene.broker, ['a', 'b'], { operation }), ['fenced', 'fenced']);

      equal(await operationsOf(scene).get('o'), before);
      strictEqual((await scene.read('b')).state, 'failed');
    },
  ),

  'a step of an operation is fenced after another claim': async (scene) => {
    await failEach(scene, 'a');
    const operations = operationsOf(scene);
    await operations.put(operationOf('o'));
    const { epoch = 0 } = (await operations.claim({ carrier: 'old', leaseMs: SHORT_MS })) ?? {};
    await scene.advance(PASS_MS);
    const operation = await stepOf(scene);

    const late = { ...operation, epoch };
    equal(await redriveRuns(scene.broker, ['a'], { operation: late }), ['fenced']);
    equal(await redriveRuns(scene.broker, ['a'], { operation }), ['redriven']);
  },

  'a step of an operation is fenced before that is claimed with its epoch': async (scene) => {
    await failEach(scene, 'a');
    await operationsOf(scene).put(operationOf('o'));
    const operation = { id: 'o', epoch: 1, skipped: 0, progress: '-', isLast: true };

    equal(await redriveRuns(scene.broker, ['a'], { operation }), ['fenced']);
    const claimed = await stepOf(scene);
    equal(await discardRuns(scene.broker, ['a'], { operation: { ...claimed, epoch: 2 } }), ['fenced']);
    equal(await redriveRuns(scene.broker, ['a'], { operation: claimed }), ['redriven']);
  },

  'a step of an operation is fenced while that is %s': /* @__PURE__ */ each(
    () => ['paused', 'cancelled'] as const,
    async (scene, to) => {
      await failEach(scene, 'a');
      await operationsOf(scene).put(operationOf('o'));
      const operation = await stepOf(scene);
      await operationsOf(scene).change('o', to);

      equal(await redriveRuns(scene.broker, ['a'], { operation }), ['fenced']);
      equal(await discardRuns(scene.broker, ['a'], { operation }), ['fenced']);
      strictEqual((await scene.read('a')).state, 'failed');
      matches(await operationsOf(scene).get('o'), { state: to, done: 0, skipped: 0 });
    },
  ),

  'a step of an unknown operation is fenced': async (scene) => {
    await failEach(scene, 'a');
    const operation = { id: 'unknown', epoch: 1, skipped: 0, progress: '-', isLast: false };

    equal(await redriveRuns(scene.broker, ['a'], { operation }), ['fenced']);
    strictEqual((await scene.read('a')).state, 'failed');
  },

  'the last step of an operation ends it, even without runs': async (scene) => {
    const operations = operationsOf(scene);
    await operations.put(operationOf('o', { planned: 5 }));

    equal(await redriveRuns(scene.broker, [], { operation: await stepOf(scene) }), []);
    equal(await redriveRuns(scene.broker, [], { operation: await stepOf(scene, { isLast: true }) }), []);

    // Five were planned and never seen again: they had changed.
    const ended = await operations.get('o');
    matches(ended, { state: 'done', done: 0, skipped: 5 });
    strictEqual(ended?.endedAt !== undefined, true);
    strictEqual(await operations.claim({ carrier: 'w', leaseMs: 1 }), undefined);
  },

  'what a plan could not count is not counted as skipped': async (scene) => {
    await failEach(scene, 'a');
    await operationsOf(scene).put(operationOf('o', { planned: 5, isPlanExact: false }));

    await redriveRuns(scene.broker, ['a'], { operation: await stepOf(scene, { isLast: true }) });

    matches(await operationsOf(scene).get('o'), { state: 'done', done: 1, skipped: 0 });
  },

  'a step of an operation takes due times, and leaves what has ended since': async (scene) => {
    const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);
    await failEach(scene, ...ids);
    const endedBefore = ((await scene.read('run-0')).endedAt ?? 0) + 1;
    await scene.advancePast(endedBefore);
    await redriveRuns(scene.broker, ['run-3', 'run-9']);
    const again = (await scene.claim()).map(({ run }) => run);
    await scene.broker.exchange({
      settle: again.map((run) => ({
        ...{ id: run.id, epoch: run.epoch, event: 'fail' },
        next: { ...run, state: 'failed', failures: 1, endedAt: endedBefore },
      })),
    });
    const runAt = (await scene.now()) + LONG_MS;
    await operationsOf(scene).put(operationOf('o', { planned: 20 }));

    const answers = await redriveRuns(scene.broker, ids, {
      runAts: new Map(ids.map((id) => [id, runAt])),
      endedBefore,
      operation: await stepOf(scene),
    });

    strictEqual(answers.filter((answer) => answer === 'redriven').length, 18);
    equal([answers[3], answers[9]], ['refused', 'refused']);
    matches(await operationsOf(scene).get('o'), { done: 18, skipped: 2 });
    matches(await scene.broker.audit(), { scheduled: 18, ended: { failed: 2 } });
  },
};
