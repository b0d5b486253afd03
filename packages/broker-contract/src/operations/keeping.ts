import { discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { atLeast, equal, matches, rejectsWith, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { operationOf, operationsOf } from './planned.ts';

/** How operations on dead letters are kept, and who carries them on. */
export const operationsKeepingCases: CasesByName = {
  'operations keep what was asked for, and when': async (scene) => {
    const operations = operationsOf(scene);
    const before = await scene.now();
    const asked = operationOf('o', {
      ...{ perSecond: 2.5, keepAttempts: true, maxAttempts: 3, reason: 'ü', by: 'me' },
      filter: { state: 'failed', lane: 'l', errorName: 'E', endedBefore: 5, ids: ['a', 'b'] },
    });

    strictEqual(await operations.put(asked), 'created');
    strictEqual(await operations.put({ ...asked, planned: 9 }), 'exists');

    const { ids: _, ...filter } = asked.filter;
    const kept = await operations.get('o');
    const figures = { state: 'running', done: 0, skipped: 0 };
    matches(kept, { ...asked, filter, ...figures });
    equal(kept?.filter, filter);
    atLeast(kept?.createdAt, before);
    equal(await operations.list(), [kept]);
    strictEqual(await operations.get('unknown'), undefined);
  },

  'operations are claimed by one carrier, the oldest first': async (scene) => {
    const operations = operationsOf(scene);
    await operations.put(operationOf('first', { filter: { state: 'failed', endedBefore: 5, ids: ['a'] } }));
    await scene.advance(20);
    await operations.put(operationOf('second'));
    const claim = { carrier: 'w', leaseMs: LONG_MS };

    const got = await operations.claim(claim);

    matches(got, { epoch: 1, operation: { id: 'first', carrier: 'w', filter: { ids: ['a'] } } });
    strictEqual(got?.progress, undefined);
    matches(await operations.claim({ ...claim, carrier: 'v' }), { epoch: 1, operation: { id: 'second' } });
    strictEqual(await operations.claim({ ...claim, carrier: 'u' }), undefined);
    matches(await operations.claim(claim), { epoch: 2, operation: { id: 'first' } });
    strictEqual(await operations.claim({ ...claim, id: 'second' }), undefined);
  },

  'operations are carried on by another one when the lease is over': async (scene) => {
    const operations = operationsOf(scene);
    await operations.put(operationOf('o'));
    await operations.claim({ carrier: 'w', leaseMs: SHORT_MS });

    await scene.advance(PASS_MS);

    matches(await operations.claim({ carrier: 'v', leaseMs: LONG_MS }), {
      epoch: 2,
      operation: { carrier: 'v' },
    });
  },

  'operations are paused, resumed and cancelled': async (scene) => {
    const operations = operationsOf(scene);
    await operations.put(operationOf('o'));
    const claim = { carrier: 'w', leaseMs: LONG_MS };

    strictEqual(await operations.change('o', 'paused'), 'changed');
    strictEqual((await operations.get('o'))?.state, 'paused');
    strictEqual(await operations.claim(claim), undefined);
    strictEqual(await operations.change('o', 'running'), 'changed');
    matches(await operations.claim(claim), { operation: { state: 'running' } });
    strictEqual(await operations.change('o', 'cancelled'), 'changed');
    strictEqual(await operations.claim(claim), undefined);
    const ended = await operations.get('o');
    atLeast(ended?.endedAt, ended?.createdAt ?? Infinity);
    strictEqual(await operations.change('o', 'running'), 'refused');
    strictEqual(await operations.change('unknown', 'paused'), 'gone');
  },

  'operations that have not ended are at most a hundred, and so are the ended ones that are kept': async (
    scene,
  ) => {
    const operations = operationsOf(scene);
    const idOf = (index: number): string => `o${String(index).padStart(3, '0')}`;
    for (let index = 0; index < 100; index += 1)
      strictEqual(await operations.put(operationOf(idOf(index))), 'created');

    strictEqual(await operations.put(operationOf('more')), 'full');
    for (let index = 0; index < 100; index += 1) await operations.change(idOf(index), 'cancelled');
    await scene.advance(20);
    for (const id of ['x', 'y']) {
      strictEqual(await operations.put(operationOf(id)), 'created');
      await operations.change(id, 'cancelled');
    }
    await operations.put(operationOf('z'));

    const listed = (await operations.list()).map(({ id }) => id);
    strictEqual(listed.length, 101);
    strictEqual(listed[0], 'z');
    strictEqual(listed.includes('x') && listed.includes('y'), true);
    strictEqual(await operations.put(operationOf('x')), 'exists');
  },

  'operations reject what they cannot keep': async (scene) => {
    const operations = operationsOf(scene);
    const code = 'INVALID_OPTIONS';

    await rejectsWith(operations.put(operationOf('')), { code });
    await rejectsWith(operations.put(operationOf('o', { perSecond: 0 })), { code });
    await rejectsWith(operations.put(operationOf('o', { perSecond: 1, spreadMs: 1 })), { code });
    await rejectsWith(operations.put(operationOf('o', { spreadMs: 1, isPlanExact: false })), { code });
    await rejectsWith(operations.put(operationOf('o', { kind: 'discard', perSecond: 1 })), { code });
    await rejectsWith(operations.claim({ carrier: '', leaseMs: 1 }), { code });
    const ids = Array.from({ length: 501 }, (_, index) => `${index}`);
    const operation = { id: 'o', epoch: 1, skipped: 0, progress: '{}', isLast: false };
    await rejectsWith(redriveRuns(scene.broker, ids, { operation }), { code });
    await rejectsWith(discardRuns(scene.broker, ['a', 'a'], { operation }), { code });
    equal(await operations.list(), []);
  },
};
