import {
  changeOperation,
  claimOperation,
  getOperation,
  listOperations,
  putOperation,
  readOperationIds,
} from '@retry/core/broker/kit';
import { atLeast, equal, matches, rejectsWith, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { idsIn, LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { listValues } from '../notes/notes.ts';
import { operationOf } from './planned.ts';

/** How operations on dead letters are kept in notes, and who carries them on. */
export const operationsKeepingCases: CasesByName = {
  'operations keep what was asked for, and when': async (scene) => {
    const { broker } = scene;
    const before = await scene.now();
    const asked = operationOf('o', {
      ...{ perSecond: 2.5, keepAttempts: true, maxAttempts: 3, reason: 'ü', by: 'me' },
      filter: { state: 'failed', lane: 'l', errorName: 'E', endedBefore: 5, ids: ['a', 'b'] },
    });

    strictEqual(await putOperation(broker, asked), 'created');
    strictEqual(await putOperation(broker, { ...asked, planned: 9 }), 'exists');

    const { ids: _, ...filter } = asked.filter;
    const kept = await getOperation(broker, 'o');
    const figures = { state: 'running', done: 0, skipped: 0 };
    matches(kept, { ...asked, filter, ...figures });
    equal(kept?.filter, filter);
    atLeast(kept?.createdAt, before);
    equal(await listOperations(broker), [kept]);
    strictEqual(await getOperation(broker, 'unknown'), undefined);
  },

  'operations keep ten thousand ids until they have ended': async ({ broker }) => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `${index}:${'ü'.repeat(253)}`.slice(0, 256));
    await putOperation(broker, operationOf('o', { filter: { state: 'failed', endedBefore: 5, ids } }));

    const claimed = await claimOperation(broker, { carrier: 'w', leaseMs: LONG_MS });

    strictEqual(claimed?.ids, 10_000);
    if (claimed === undefined) return;
    equal(await readOperationIds(broker, claimed, { from: 0, most: 250 }), ids.slice(0, 250));
    equal(await readOperationIds(broker, claimed, { from: 124, most: 3 }), ids.slice(124, 127));
    equal(await readOperationIds(broker, claimed, { from: 9_950, most: 250 }), ids.slice(9_950));
    await changeOperation(broker, 'o', 'cancelled');
    equal(await listValues(broker, 'operation-ids/'), []);
  },

  'operations are claimed by one carrier, the oldest first': async (scene) => {
    const { broker } = scene;
    await putOperation(broker, operationOf('first'));
    await scene.advance(20);
    await putOperation(broker, operationOf('second'));
    const claim = { carrier: 'w', leaseMs: LONG_MS };

    const got = await claimOperation(broker, claim);

    matches(got, { operation: { id: 'first', carrier: 'w' } });
    strictEqual(got?.progress, undefined);
    matches(await claimOperation(broker, { ...claim, carrier: 'v' }), { operation: { id: 'second' } });
    strictEqual(await claimOperation(broker, { ...claim, carrier: 'u' }), undefined);
    matches(await claimOperation(broker, claim), { operation: { id: 'first' } });
    strictEqual(await claimOperation(broker, { ...claim, id: 'second' }), undefined);
  },

  'operations that several carriers claim at the same time go to one each': async ({ broker }) => {
    for (const id of ['a', 'b', 'c']) await putOperation(broker, operationOf(id));

    const claimed = await Promise.all(
      [1, 2, 3, 4, 5].map((one) => claimOperation(broker, { carrier: `w${one}`, leaseMs: LONG_MS })),
    );

    const ids = claimed.flatMap((one) => one?.operation.id ?? []).sort();
    equal(ids, ['a', 'b', 'c']);
  },

  'operations are carried on by another one when the lease is over': async (scene) => {
    await putOperation(scene.broker, operationOf('o'));
    await claimOperation(scene.broker, { carrier: 'w', leaseMs: SHORT_MS });

    await scene.advance(PASS_MS);

    matches(await claimOperation(scene.broker, { carrier: 'v', leaseMs: LONG_MS }), {
      operation: { carrier: 'v' },
    });
  },

  'operations are paused, resumed and cancelled': async ({ broker }) => {
    await putOperation(broker, operationOf('o'));
    const claim = { carrier: 'w', leaseMs: LONG_MS };

    strictEqual(await changeOperation(broker, 'o', 'paused'), 'changed');
    strictEqual((await getOperation(broker, 'o'))?.state, 'paused');
    strictEqual(await claimOperation(broker, claim), undefined);
    strictEqual(await changeOperation(broker, 'o', 'running'), 'changed');
    matches(await claimOperation(broker, claim), { operation: { state: 'running' } });
    strictEqual(await changeOperation(broker, 'o', 'cancelled'), 'changed');
    strictEqual(await claimOperation(broker, claim), undefined);
    const ended = await getOperation(broker, 'o');
    atLeast(ended?.endedAt, ended?.createdAt ?? Infinity);
    strictEqual(await changeOperation(broker, 'o', 'running'), 'refused');
    strictEqual(await changeOperation(broker, 'unknown', 'paused'), 'gone');
  },

  'operations that have not ended are at most a hundred, and so are the ended ones that are kept': async (
    scene,
  ) => {
    const { broker } = scene;
    const idOf = (index: number): string => `o${String(index).padStart(3, '0')}`;
    for (let index = 0; index < 98; index += 1)
      strictEqual(await putOperation(broker, operationOf(idOf(index))), 'created');
    const last = await Promise.all(
      [98, 99, 100, 101].map((index) => putOperation(broker, operationOf(idOf(index)))),
    );

    equal([...last].sort(), ['created', 'created', 'full', 'full']);
    strictEqual(await putOperation(broker, operationOf('more')), 'full');
    for (const { id } of await listOperations(broker)) await changeOperation(broker, id, 'cancelled');
    await scene.advance(20);
    for (const id of ['x', 'y']) {
      strictEqual(await putOperation(broker, operationOf(id)), 'created');
      await changeOperation(broker, id, 'cancelled');
    }
    await putOperation(broker, operationOf('z'));

    const listed = (await listOperations(broker)).map(({ id }) => id);
    strictEqual(listed.length, 101);
    strictEqual(listed[0], 'z');
    strictEqual(listed.includes('x') && listed.includes('y'), true);
    strictEqual(await putOperation(broker, operationOf('x')), 'exists');
    // One note for each, and that which every put writes.
    strictEqual((await listValues(broker, 'operation/')).length, 102);
  },

  'operations that another program wrote are neither listed nor carried on': async ({ broker }) => {
    await broker.notes.write([
      { key: 'operation/broken', value: '{' },
      { key: 'operation/other', value: '{"request":{"id":"o"}}' },
    ]);
    await putOperation(broker, operationOf('fine'));

    equal(idsIn(await listOperations(broker)), ['fine']);
    strictEqual(await getOperation(broker, 'broken'), undefined);
    strictEqual(await changeOperation(broker, 'broken', 'paused'), 'gone');
    matches(await claimOperation(broker, { carrier: 'w', leaseMs: LONG_MS }), { operation: { id: 'fine' } });
    strictEqual(await claimOperation(broker, { carrier: 'v', leaseMs: LONG_MS }), undefined);
  },

  'operations reject what they cannot keep': async ({ broker }) => {
    const code = 'INVALID_OPTIONS';

    await rejectsWith(putOperation(broker, operationOf('')), { code });
    await rejectsWith(putOperation(broker, operationOf('o', { perSecond: 0 })), { code });
    await rejectsWith(putOperation(broker, operationOf('o', { perSecond: 1, spreadMs: 1 })), { code });
    await rejectsWith(putOperation(broker, operationOf('o', { spreadMs: 1, isPlanExact: false })), { code });
    await rejectsWith(putOperation(broker, operationOf('o', { kind: 'discard', perSecond: 1 })), { code });
    await rejectsWith(claimOperation(broker, { carrier: '', leaseMs: 1 }), { code });
    await rejectsWith(getOperation(broker, ''), { code });
    equal(await listOperations(broker), []);
  },
};
