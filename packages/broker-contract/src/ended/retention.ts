import type { Change, Run } from '@retry/core/broker';
import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { transition } from '@retry/core/lifecycle';
import { equal, matches } from '../assertions.ts';
import type { BrokerCase, CasesByName } from '../broker-case.ts';
import { defineCases } from '../broker-case.ts';
import type { StorageOptions } from '../broker-scene.ts';
import type { CaseScene, SubmissionInput } from '../case-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';
import { untilForgotten } from './keep-results.ts';

/** What is kept of ended runs is bounded by their number, their age and their bytes. */
export function listRetentionCases(): readonly BrokerCase[] {
  const define = (cases: CasesByName, storage: StorageOptions): readonly BrokerCase[] =>
    defineCases(cases, { storage, requires: ['retention'] });
  return [
    ...define(boundByCount, { keepCompleted: { count: 2 } }),
    ...define(boundByBytes, { keepCompleted: { count: 100, bytes: 25_000 } }),
    ...define(boundByNoBytes, { keepCompleted: { count: 100, bytes: 0 } }),
    ...define(boundByAge, { keepCompleted: { count: Infinity, for: SHORT_MS } }),
    ...define(boundByLongAge, {
      keepCompleted: { count: Infinity, for: LONG_MS },
      keepDead: { for: LONG_MS },
    }),
    ...define(deadByAge, { keepCompleted: { count: Infinity }, keepDead: { for: SHORT_MS } }),
    ...define(boundByNothing, { keepCompleted: { count: Infinity, bytes: Infinity } }),
  ];
}

/** JSON of 10 000 bytes: two of them are within 25 000, three are not. */
const LONG = JSON.stringify('x'.repeat(9_998));

const boundByCount: CasesByName = {
  'keepCompleted.count keeps the runs that ended last': async (scene) => {
    for (const id of ['a', 'b', 'c', 'd']) await complete(scene, { id });

    await until(scene, async () => (await keptOf(scene, 'a', 'b')) === '');
    equal(await keptOf(scene, 'c', 'd'), 'cd');
    matches(await scene.broker.audit(), { created: 4, forgotten: 2, ended: { completed: 2 } });
  },

  'keepCompleted.count counts no dead letters, and forgets none': async (scene) => {
    for (const id of ['a', 'b', 'c']) await end(scene, { id }, 'fail');
    for (const id of ['d', 'e', 'f']) await complete(scene, { id });

    await until(scene, async () => (await keptOf(scene, 'd')) === '');
    equal(await keptOf(scene, 'a', 'b', 'c', 'e', 'f'), 'abcef');
  },
};

const boundByBytes: CasesByName = {
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

const boundByNoBytes: CasesByName = {
  'keepCompleted.bytes of 0 keeps no long text, and every short one': async (scene) => {
    await complete(scene, { id: 'long', payload: LONG }, LONG);
    await complete(scene, { id: 'short', payload: '"p"' }, '"r"');

    await untilTrimmed(scene, 'long');
    matches(await scene.read('long'), { trimmed: ['payload', 'result'] });
    matches(await scene.read('short'), { payload: '"p"', result: '"r"' });
  },
};

const boundByAge: CasesByName = {
  'keepCompleted.for forgets completed, cancelled and dropped runs once it is over': async (scene) => {
    await complete(scene, { id: 'a' });
    await end(scene, { id: 'b' }, 'drop');
    await scene.submit('c');
    await cancelRuns(scene.broker, ['c']);
    await scene.advance(PASS_MS);

    await untilCleaned(scene, async () => (await keptOf(scene, 'a', 'b', 'c')) === '');
    matches(await scene.broker.audit(), { forgotten: 3 });
  },

  'keepCompleted.for forgets runs when others end': async (scene) => {
    for (const id of ['a', 'b']) await complete(scene, { id });
    await scene.advance(PASS_MS);

    await untilForgotten(scene, 'a');
    await untilForgotten(scene, 'b');
  },

  'keepCompleted.for forgets runs when nothing else ends: a cleaner does it': async (scene) => {
    await complete(scene, { id: 'a', payload: LONG });
    await scene.advance(PASS_MS);

    await untilCleaned(scene, async () => (await keptOf(scene, 'a')) === '');
  },

  'keepCompleted.for forgets no dead letter, and no run that has not ended': async (scene) => {
    await end(scene, { id: 'dead' }, 'fail');
    await scene.start({ id: 'started', lane: 'other' }, { lanes: ['other'] });
    await scene.submit({ id: 'waiting', lane: 'other' });
    await complete(scene, { id: 'a' });
    await scene.advance(PASS_MS);

    await untilCleaned(scene, async () => (await keptOf(scene, 'a')) === '');
    equal(
      (await scene.broker.get(['dead', 'started', 'waiting'])).map((run) => run?.state),
      ['failed', 'started', 'submitted'],
    );
  },
};

const boundByLongAge: CasesByName = {
  'keepCompleted.for and keepDead.for forget nothing before that is over': async (scene) => {
    await complete(scene, { id: 'a', payload: LONG });
    await end(scene, { id: 'dead' }, 'fail');
    await scene.advance(PASS_MS);
    await scene.broker.findExpired(10);
    await complete(scene, { id: 'b' });

    equal(await keptOf(scene, 'a', 'dead', 'b'), 'adeadb');
  },
};

const deadByAge: CasesByName = {
  'keepDead.for forgets dead letters once it is over: a cleaner does it': async (scene) => {
    await end(scene, { id: 'a' }, 'fail');
    await end(scene, { id: 'b', payload: LONG }, 'stall');
    await complete(scene, { id: 'c' });
    await scene.advance(PASS_MS);

    await untilCleaned(scene, async () => (await keptOf(scene, 'a', 'b')) === '');
    equal(await keptOf(scene, 'c'), 'c');
    matches(await scene.broker.audit(), { forgotten: 2, ended: { failed: 0, stalled: 0, completed: 1 } });
  },

  'keepDead.for forgets no run that was redriven': async (scene) => {
    await end(scene, { id: 'a' }, 'fail');
    equal(await redriveRuns(scene.broker, ['a']), ['redriven']);
    await end(scene, { id: 'b', lane: 'other' }, 'fail');
    await scene.advance(PASS_MS);

    await untilCleaned(scene, async () => (await keptOf(scene, 'b')) === '');
    matches(await scene.read('a'), { state: 'submitted' });
  },
};

const boundByNothing: CasesByName = {
  'keepCompleted and keepDead without a bound keep everything': async (scene) => {
    for (const id of ['a', 'b', 'c']) await complete(scene, { id, payload: LONG });
    await end(scene, { id: 'd', payload: LONG }, 'fail');
    await scene.advance(PASS_MS);
    await scene.broker.findExpired(10);

    equal(await keptOf(scene, 'a', 'b', 'c', 'd'), 'abcd');
    equal(await trimmedOf(scene, 'a', 'b', 'c', 'd'), []);
  },
};

async function complete(scene: CaseScene, submission: SubmissionInput, result = '"done"'): Promise<void> {
  await end(scene, submission, 'complete', { result });
}

async function end(
  scene: CaseScene,
  submission: SubmissionInput,
  type: 'complete' | 'fail' | 'drop' | 'stall',
  more: Partial<Run> = {},
): Promise<void> {
  const { lane = 'l' } = submission;
  const run = await scene.start(submission, { lanes: [lane] });
  await scene.settle(settlementOf(run, { type, at: await scene.now() }, more));
}

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

/** The ids of those of these runs that are kept. */
async function keptOf(scene: CaseScene, ...ids: readonly string[]): Promise<string> {
  return (await scene.broker.get(ids)).map((run) => run?.id ?? '').join('');
}

/** The ids of those of these runs of which something was deleted. */
async function trimmedOf(scene: CaseScene, ...ids: readonly string[]): Promise<readonly string[]> {
  const runs = await scene.broker.get(ids);
  return ids.filter((_, index) => runs[index]?.trimmed !== undefined);
}

async function untilTrimmed(scene: CaseScene, ...ids: readonly string[]): Promise<void> {
  await until(scene, async () => (await trimmedOf(scene, ...ids)).length === ids.length);
}

/** Lets time pass, with empty exchanges: each broker decides when it applies retention. */
async function until(scene: CaseScene, holds: () => Promise<boolean>): Promise<void> {
  await wait(scene, holds, async () => void (await scene.broker.exchange({})));
}

async function untilCleaned(scene: CaseScene, holds: () => Promise<boolean>): Promise<void> {
  await wait(scene, holds, async () => void (await scene.broker.findExpired(10)));
}

async function wait(
  scene: CaseScene,
  holds: () => Promise<boolean>,
  step: () => Promise<void>,
): Promise<void> {
  for (let count = 0; count < 200; count += 1) {
    if (await holds()) return;
    await step();
    await scene.advance(20);
  }
  throw new Error('retention has not been applied');
}
