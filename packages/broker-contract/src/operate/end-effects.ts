import { cancelRuns, endRuns, holdLanes, resumeLanes } from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { concurrency, LONG_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';
import { completeByHand, failByHand, untilUnlocked } from './requests.ts';

/** What an end by hand means for callers, keys and workers, and its races. */
export const endEffectsCases: CasesByName = {
  'end wakes a caller that waits for the result, and it can be collected': async (scene) => {
    await scene.submit({ id: 'a', keepResultMs: LONG_MS }, { id: 'b', keepResultMs: LONG_MS });
    const waiting = scene.broker.wait({ results: true, timeoutMs: LONG_MS });
    await endRuns(scene.broker, [completeByHand('a', '"done"')]);
    await waiting;
    const [collected] = await scene.broker.get(['a'], { collect: true });
    const again = scene.broker.wait({ results: true, timeoutMs: LONG_MS });
    await endRuns(scene.broker, [failByHand('b')]);

    await again;
    matches(collected, { state: 'completed', result: '"done"' });
  },

  'end keeps the id of a run known': async (scene) => {
    await scene.submit({ id: 'a', keyed: true });
    await endRuns(scene.broker, [completeByHand('a')]);

    equal(await scene.broker.submit([{ id: 'a', lane: 'l', payload: '{}', keyed: true }]), ['exists']);
  },

  'end of a run that waits for its key leaves the slot to the next one': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency });
    await scene.submit(...['b', 'c', 'd'].map((id) => ({ id, concurrency })));
    await scene.claim();
    const parked = await endRuns(scene.broker, [failByHand('b')]);
    await scene.settleNow('complete', run);
    const returned = await endRuns(scene.broker, [completeByHand('c')]);

    equal([parked, returned], [['done'], ['done']]);
    equal(await scene.claimIds(), ['d']);
    equal(await scene.claimIds(), []);
  },

  'end fences a worker that held an earlier epoch': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const released = settlementOf(run, { type: 'release', at });
    await scene.settle(released);
    await endRuns(scene.broker, [completeByHand('a', '"by hand"')]);

    const late = settlementOf(run, { type: 'complete', at }, { result: '"late"' });

    equal(await scene.settle(released, late), ['already', 'fenced']);
    equal(await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS), ['fenced']);
    matches(await scene.read('a'), { state: 'completed', result: '"by hand"', releases: 1 });
  },

  'end request does not undo a completion by a worker that had not seen it': async (scene) => {
    const run = await scene.start('a');
    await endRuns(scene.broker, [failByHand('a')]);
    const done = settlementOf(run, { type: 'complete', at: await scene.now() }, { result: '"done"' });

    equal(await scene.settle(done), ['ok']);
    matches(await scene.read('a'), { state: 'completed', result: '"done"', errors: [] });
  },

  'end request ends a run that is released: it is cancelled': async (scene) => {
    const run = await scene.start('a');
    await endRuns(scene.broker, [completeByHand('a')]);
    const at = await scene.now();

    await scene.settle(settlementOf(run, { type: 'release', at, runAt: at + LONG_MS }));

    matches(await scene.read('a'), { state: 'cancelled', result: undefined });
  },

  'end ends a run of a lane that is on hold': async (scene) => {
    await scene.submit('a', 'b');
    await holdLanes(scene.broker, [{ lane: 'l', source: 'operator' }]);

    equal(await endRuns(scene.broker, [completeByHand('a')]), ['done']);
    await resumeLanes(scene.broker, [{ lane: 'l' }]);
    equal(await scene.claimIds(), ['b']);
  },

  'end takes effect either before or after a concurrent claim': async (scene) => {
    await scene.submit('a');

    const [[answer], claimed] = await Promise.all([
      untilUnlocked([completeByHand('a')], (ends) => endRuns(scene.broker, ends)),
      scene.claimIds(),
    ]);

    equal(claimed, answer === 'done' ? [] : ['a']);
    strictEqual(answer === 'done' || answer === 'requested', true);
  },

  'end and a concurrent cancel: one of them ends the run': async (scene) => {
    const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);
    await scene.submit(...ids);

    const [ended, cancelled] = await Promise.all([
      untilUnlocked(
        ids.map((id) => failByHand(id)),
        (ends) => endRuns(scene.broker, ends),
      ),
      untilUnlocked(ids, (some) => cancelRuns(scene.broker, some)),
    ]);

    for (const [index, id] of ids.entries()) {
      const isDone = ended[index] === 'done';
      equal([ended[index], cancelled[index]], isDone ? ['done', 'ended'] : ['ended', 'cancelled']);
      strictEqual((await scene.read(id)).state, isDone ? 'failed' : 'cancelled');
    }
  },

  'end and a concurrent settlement of the same run: the settlement holds': async (scene) => {
    const run = await scene.start('a');
    const done = settlementOf(run, { type: 'complete', at: await scene.now() });

    const [[answer], settled] = await Promise.all([
      endRuns(scene.broker, [failByHand('a')]),
      scene.settle(done),
    ]);

    equal(settled, ['ok']);
    // The settlement has the run locked for as long as it takes.
    strictEqual(answer === 'requested' || answer === 'ended' || answer === 'locked', true);
    strictEqual((await scene.read('a')).state, 'completed');
  },
};

/** With `keepCompleted: 0`. */
export const endRetentionCases: CasesByName = {
  'end is subject to retention: what it completes is forgotten, what it fails is kept': async (scene) => {
    await scene.submit('a', 'b', { id: 'awaited', keepResultMs: LONG_MS }, { id: 'key', keyed: true });

    await endRuns(scene.broker, [
      completeByHand('a'),
      failByHand('b'),
      completeByHand('awaited'),
      completeByHand('key'),
    ]);

    const kept = await scene.broker.get(['a', 'b', 'awaited', 'key']);
    equal(
      kept.map((run) => run?.state),
      [undefined, 'failed', 'completed', undefined],
    );
    equal(await endRuns(scene.broker, [failByHand('a'), failByHand('key')]), ['gone', 'gone']);
    equal(await scene.broker.submit([{ id: 'key', lane: 'l', payload: '{}', keyed: true }]), ['exists']);
    matches(await scene.broker.audit(), { forgotten: 2, unbalanced: 0 });
  },
};
