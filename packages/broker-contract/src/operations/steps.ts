import {
  changeOperation,
  claimOperation,
  getBy,
  getOperation,
  putOperation,
  redriveRuns,
} from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { failEach, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { claimOne, operationOf, stepOn } from './planned.ts';

const KINDS = ['redrive', 'discard'] as const;

/** What the steps of operations do, and count. */
export const operationStepsCases: CasesByName = {
  'a step of an operation redrives, counts, and says where the next one begins': async (scene) => {
    const { broker } = scene;
    await failEach(scene, 'a', 'b', 'c');
    await putOperation(broker, operationOf('o'));
    await redriveRuns(broker, ['c']);

    const ids = ['a', 'b', 'c', 'unknown', 'a'];
    strictEqual(await stepOn(scene, await claimOne(scene), ids, { skipped: 2, progress: 'two' }), 'made');

    matches(await getOperation(broker, 'o'), { state: 'running', done: 2, skipped: 5 });
    matches(await claimOne(scene), { progress: 'two', operation: { done: 2, skipped: 5 } });
    equal(await scene.claimIds(), ['c', 'a', 'b']);
  },

  'a step of an operation discards, and counts': async (scene) => {
    await failEach(scene, 'a', 'b');
    await putOperation(scene.broker, operationOf('o', { kind: 'discard', planned: 2 }));

    await stepOn(scene, await claimOne(scene), ['a', 'unknown', 'b'], { isLast: true });

    matches(await getOperation(scene.broker, 'o'), { state: 'done', done: 2, skipped: 1 });
    matches(await scene.broker.audit(), { forgotten: 2 });
  },

  'a step of an operation counts runs that change while it is made as skipped': async (scene) => {
    const { broker } = scene;
    await failEach(scene, 'a', 'b', 'c');
    await putOperation(broker, operationOf('o'));
    const claimed = await claimOne(scene);
    let readings = 0;
    const get = getBy({
      runs: (ids, options) => broker.get(ids, options),
      seen: async (ids) => {
        const reading = await broker.get(ids, { answer: 'seen' });
        readings += 1;
        await redriveRuns(broker, ['a']);
        return reading;
      },
    });

    const racing = { ...scene, broker: { ...broker, get } };
    strictEqual(await stepOn(racing, claimed, ['a', 'b', 'c'], { skipped: 1 }), 'made');

    strictEqual(readings, 1);
    matches(await getOperation(broker, 'o'), { done: 2, skipped: 2 });
    equal(await scene.claimIds(), ['a', 'b', 'c']);
  },

  'a step of an operation that is sent again is fenced, and changes nothing: %s': /* @__PURE__ */ each(
    () => KINDS,
    async (scene, kind) => {
      await failEach(scene, 'a', 'b');
      await putOperation(scene.broker, operationOf('o', { kind }));
      const claimed = await claimOne(scene);
      await stepOn(scene, claimed, ['a']);
      const before = await getOperation(scene.broker, 'o');

      strictEqual(await stepOn(scene, claimed, ['a', 'b']), 'fenced');

      equal(await getOperation(scene.broker, 'o'), before);
      strictEqual((await scene.read('b')).state, 'failed');
    },
  ),

  'a step of an operation that several carriers make at the same time is made once': async (scene) => {
    const ids = ['a', 'b', 'c', 'd'];
    await failEach(scene, ...ids);
    await putOperation(scene.broker, operationOf('o', { planned: 4 }));
    const claimed = await claimOne(scene);

    const made = await Promise.all(ids.map((id) => stepOn(scene, claimed, [id])));

    strictEqual(made.filter((one) => one === 'made').length, 1);
    matches(await getOperation(scene.broker, 'o'), { done: 1, skipped: 0 });
    matches(await scene.broker.audit(), { submitted: 1, ended: { failed: 3 } });
  },

  'a step of an operation is fenced after another claim': async (scene) => {
    await failEach(scene, 'a');
    await putOperation(scene.broker, operationOf('o'));
    const late = await claimOperation(scene.broker, { carrier: 'old', leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);
    const claimed = await claimOne(scene);

    strictEqual(late && (await stepOn(scene, late, ['a'])), 'fenced');
    strictEqual(await stepOn(scene, claimed, ['a']), 'made');
    strictEqual((await scene.read('a')).redrives, 1);
  },

  'a step of an operation is fenced while that is %s': /* @__PURE__ */ each(
    () => ['paused', 'cancelled', 'resumed'] as const,
    async (scene, what) => {
      const { broker } = scene;
      await failEach(scene, 'a');
      await putOperation(broker, operationOf('o'));
      const claimed = await claimOne(scene);
      await changeOperation(broker, 'o', what === 'cancelled' ? 'cancelled' : 'paused');
      if (what === 'resumed') await changeOperation(broker, 'o', 'running');

      strictEqual(await stepOn(scene, claimed, ['a']), 'fenced');

      strictEqual((await scene.read('a')).state, 'failed');
      matches(await getOperation(broker, 'o'), { done: 0, skipped: 0 });
    },
  ),

  'the last step of an operation ends it, even without runs': async (scene) => {
    const { broker } = scene;
    const filter = { state: 'failed', endedBefore: 5, ids: ['a', 'b'] } as const;
    await putOperation(broker, operationOf('o', { planned: 5, filter }));

    await stepOn(scene, await claimOne(scene), []);
    await stepOn(scene, await claimOne(scene), [], { isLast: true });

    // Five were planned and never seen again: they had changed.
    const ended = await getOperation(broker, 'o');
    matches(ended, { state: 'done', done: 0, skipped: 5 });
    strictEqual(ended?.endedAt !== undefined, true);
    strictEqual(await claimOperation(broker, { carrier: 'w', leaseMs: 1 }), undefined);
    equal((await broker.notes.read({ prefix: 'operation-ids/', limit: 9 })).notes, []);
  },

  'what a plan could not count is not counted as skipped': async (scene) => {
    await failEach(scene, 'a');
    await putOperation(scene.broker, operationOf('o', { planned: 5, isPlanExact: false }));

    await stepOn(scene, await claimOne(scene), ['a'], { isLast: true });

    matches(await getOperation(scene.broker, 'o'), { state: 'done', done: 1, skipped: 0 });
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
    const filter = { state: 'failed', endedBefore } as const;
    await putOperation(scene.broker, operationOf('o', { planned: 20, filter }));

    const runAts = new Map(ids.map((id) => [id, runAt]));
    strictEqual(await stepOn(scene, await claimOne(scene), ids, { runAts }), 'made');

    strictEqual((await scene.read('run-0')).runAt, runAt);
    matches(await getOperation(scene.broker, 'o'), { done: 18, skipped: 2 });
    matches(await scene.broker.audit(), { scheduled: 18, ended: { failed: 2 } });
  },
};
