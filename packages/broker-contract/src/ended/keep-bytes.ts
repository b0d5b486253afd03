import type { Change } from '@retry/core/broker';
import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { transition } from '@retry/core/lifecycle';
import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { LONG_MS } from '../case-scene.ts';
import { complete, end, LONG, trimmedOf, untilTrimmed } from './retained.ts';

/** The long texts that are kept of ended runs are bounded by their bytes; the runs stay. */
export const boundByBytes: CasesByName = {
  'keepCompleted.bytes deletes the long payloads of the runs that ended first, and keeps the runs': async (
    scene,
  ) => {
    await complete(scene, { id: 'a' });
    for (const id of ['b', 'c', 'd', 'e']) await complete(scene, { id, payload: LONG });

    await untilTrimmed(scene, 'b', 'c');
    matches(await scene.read('b'), { state: 'completed', payload: '', trimmed: ['payload'] });
    matches(await scene.read('c'), { state: 'completed', payload: '', trimmed: ['payload'] });
    const whole = await Promise.all(['a', 'd', 'e'].map((id) => scene.read(id)));
    equal(
      whole.map(({ payload, trimmed }) => [payload, trimmed]),
      [
        ['{}', undefined],
        [LONG, undefined],
        [LONG, undefined],
      ],
    );
    matches(await scene.broker.audit(), { created: 5, forgotten: 0, ended: { completed: 5 } });
  },

  'keepCompleted.bytes is about texts of more than 4 096 bytes of UTF-8, whatever their characters': async (
    scene,
  ) => {
    const [short, long] = [JSON.stringify('ä'.repeat(2_047)), JSON.stringify('€'.repeat(1_365))];
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await complete(scene, { id, payload: short });
    for (const id of ['h', 'i', 'j', 'k', 'l', 'm', 'n']) await complete(scene, { id, payload: long });

    await untilTrimmed(scene, 'h');
    equal(await trimmedOf(scene, 'a', 'b', 'c', 'd', 'e', 'f', 'g'), []);
    equal(await trimmedOf(scene, 'i', 'j', 'k', 'l', 'm', 'n'), []);
    equal((await scene.read('n')).payload, long);
  },

  'keepCompleted.bytes deletes long results, and keeps the payload beside them': async (scene) => {
    for (const id of ['a', 'b', 'c']) await complete(scene, { id, payload: '"short"' }, LONG);

    await untilTrimmed(scene, 'a');
    const [a, b, c] = await scene.broker.get(['a', 'b', 'c']);
    matches(a, { payload: '"short"', trimmed: ['result'] });
    equal([a?.result, b?.result, c?.result], [undefined, LONG, LONG]);
  },

  'keepCompleted.bytes deletes payload and result of a run together': async (scene) => {
    for (const id of ['a', 'b']) await complete(scene, { id, payload: LONG }, LONG);

    await untilTrimmed(scene, 'a');
    matches(await scene.read('a'), { payload: '', trimmed: ['payload', 'result'] });
    matches(await scene.read('b'), { payload: LONG, result: LONG });
  },

  'keepCompleted.bytes counts no dead letters, waiting and started runs, and takes nothing of them': async (
    scene,
  ) => {
    for (const id of ['a', 'b', 'c']) await end(scene, { id, payload: LONG }, 'fail');
    await scene.start({ id: 'started', payload: LONG, lane: 'other' }, { lanes: ['other'] });
    await scene.submit({ id: 'waiting', payload: LONG, lane: 'other' });
    for (const id of ['d', 'e', 'f']) await complete(scene, { id, payload: LONG });

    await untilTrimmed(scene, 'd');
    const others = await scene.broker.get(['a', 'b', 'c', 'started', 'waiting', 'e', 'f']);
    equal(
      others.map((run) => run?.payload === LONG),
      others.map(() => true),
    );
  },

  'keepCompleted.bytes is about cancelled runs as well': async (scene) => {
    for (const id of ['a', 'b', 'c']) {
      await scene.submit({ id, payload: LONG });
      await cancelRuns(scene.broker, [id]);
    }

    await untilTrimmed(scene, 'a');
    matches(await scene.read('a'), { state: 'cancelled', trimmed: ['payload'] });
  },

  'keepCompleted.bytes counts what is discarded no more': async (scene) => {
    for (const id of ['a', 'b']) await complete(scene, { id, payload: LONG });
    await discardRuns(scene.broker, ['b']);
    await complete(scene, { id: 'c', payload: LONG });

    equal(await trimmedOf(scene, 'a', 'c'), []);
    await complete(scene, { id: 'd', payload: LONG });
    await untilTrimmed(scene, 'a');
    equal(await trimmedOf(scene, 'c', 'd'), []);
  },

  'keepCompleted.bytes: a page of a list names what was deleted, if it has payloads': async (scene) => {
    for (const id of ['a', 'b', 'c']) await complete(scene, { id, payload: LONG });
    await untilTrimmed(scene, 'a');

    const query = { state: 'completed', lane: 'l', limit: 10 } as const;
    const { runs } = await scene.broker.list(query);
    const without = await scene.broker.list({ ...query, payloads: 'omit' });
    equal(
      runs.map(({ id, trimmed }) => [id, trimmed]),
      [
        ['a', ['payload']],
        ['b', undefined],
        ['c', undefined],
      ],
    );
    equal(
      without.runs.map(({ trimmed }) => trimmed),
      [undefined, undefined, undefined],
    );
  },

  'keepCompleted.bytes: a disposable run without its payload is not redriven': async (scene) => {
    for (const id of ['a', 'b', 'c']) await end(scene, { id, payload: LONG }, 'fail', { isDisposable: true });
    await untilTrimmed(scene, 'a');

    equal(await redriveRuns(scene.broker, ['a', 'b']), ['refused', 'redriven']);
    matches(await scene.read('a'), { state: 'failed', trimmed: ['payload'] });
    matches(
      (await scene.claim()).map(({ run }) => run),
      [{ id: 'b', payload: LONG }],
    );
  },

  'keepCompleted.bytes: a run whose payload is deleted after it was read is not changed': async (scene) => {
    await end(scene, { id: 'a', payload: LONG }, 'fail', { isDisposable: true });
    const change = await moveOf(scene, 'a', 'redrive');
    for (const id of ['b', 'c']) await complete(scene, { id, payload: LONG });
    await untilTrimmed(scene, 'a');

    equal(await scene.broker.change([change]), ['changed']);
    matches((await scene.broker.get(['a'], { answer: 'seen' })).runs[0]?.run, {
      payload: '',
      trimmed: ['payload'],
    });
    matches((await scene.broker.get(['b'], { answer: 'seen' })).runs[0]?.run, {
      payload: '',
      trimmed: undefined,
    });
  },

  'keepCompleted.bytes: a run that waits again loses nothing to one that ends in the same call': async (
    scene,
  ) => {
    await end(scene, { id: 'a', payload: LONG }, 'fail', { isDisposable: true });
    await complete(scene, { id: 'b', payload: LONG });
    await scene.submit({ id: 'c', payload: LONG, lane: 'other' });

    const changes = [await moveOf(scene, 'a', 'redrive'), await moveOf(scene, 'c', 'cancel')];
    equal(await scene.broker.change(changes), ['done', 'done']);

    await scene.broker.exchange({});
    equal(await trimmedOf(scene, 'b', 'c'), []);
    matches(
      (await scene.claim()).map(({ run }) => run),
      [{ id: 'a', payload: LONG }],
    );
  },

  'keepCompleted.bytes: a result that a caller waits for is kept until it is collected': async (scene) => {
    await complete(scene, { id: 'awaited', keepResultMs: LONG_MS }, LONG);
    for (const id of ['a', 'b', 'c']) await complete(scene, { id, payload: LONG });
    await untilTrimmed(scene, 'a');

    const [before] = await scene.broker.get(['awaited'], { collect: true });
    for (const id of ['d', 'e']) await complete(scene, { id, payload: LONG });
    await untilTrimmed(scene, 'awaited');
    equal(before?.result, LONG);
  },

  'keepCompleted.bytes: an id that is used again is another run': async (scene) => {
    await complete(scene, { id: 'a', payload: LONG });
    await discardRuns(scene.broker, ['a']);
    await scene.submit({ id: 'a', payload: LONG, lane: 'other' });
    for (const id of ['b', 'c', 'd']) await complete(scene, { id, payload: LONG });

    await untilTrimmed(scene, 'b');
    matches(await scene.read('a'), { state: 'submitted', payload: LONG });
  },
};

/** No long text is kept. */
export const boundByNoBytes: CasesByName = {
  'keepCompleted.bytes of 0 keeps no long text, and every short one': async (scene) => {
    await complete(scene, { id: 'long', payload: LONG }, LONG);
    await complete(scene, { id: 'short', payload: '"p"' }, '"r"');

    await untilTrimmed(scene, 'long');
    matches(await scene.read('long'), { trimmed: ['payload', 'result'] });
    matches(await scene.read('short'), { payload: '"p"', result: '"r"' });
  },
};

/** A change of a run as it is now. */
async function moveOf(scene: CaseScene, id: string, type: 'redrive' | 'cancel'): Promise<Change> {
  const { runs, now: at } = await scene.broker.get([id], { answer: 'seen' });
  const [read] = runs;
  if (read === undefined) throw new Error(`there is no run ${id}`);
  const event = type === 'cancel' ? { type, at } : { type, at, runAt: at, keepAttempts: false };
  const moved = transition(read.run, event);
  if (moved.type === 'rejected') throw new Error(`${id} cannot be moved`);
  return { id, seen: read.seen, next: moved.run };
}
