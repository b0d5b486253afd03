import { cancelRuns, redriveRuns } from '@retry/core/broker/kit';
import { equal, matches } from '../assertions.ts';
import type { BrokerCase, CasesByName } from '../broker-case.ts';
import { defineCases } from '../broker-case.ts';
import type { StorageOptions } from '../broker-scene.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { boundByBytes, boundByNoBytes } from './keep-bytes.ts';
import { untilForgotten } from './keep-results.ts';
import { complete, end, keptOf, LONG, trimmedOf, until, untilCleaned } from './retained.ts';

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
