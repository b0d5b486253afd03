import type { ClaimedRun } from '@retry/core/broker';
import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { settlementOf } from '../settlement-of.ts';

/** A claim whose reply was lost is sent again (fault F5): it returns the same runs and charges nothing. */
export const repeatedClaimCases: CasesByName = {
  'repeated claim returns the same runs and epochs, and charges nothing': async (scene) => {
    await scene.submit('a', 'b', 'c');
    const first = await scene.claim({ requestId: 'lost', limit: 2 });

    const second = await scene.claim({ requestId: 'lost', limit: 2 });

    equal(epochs(second), { a: 1, b: 1 });
    equal(epochs(second), epochs(first));
    matches(await scene.read('a'), { state: 'started', epoch: 1, stalls: 0, releases: 0 });
    matches(await scene.read('c'), { state: 'submitted', epoch: 0 });
    matches(await scene.broker.audit(), { started: 2, submitted: 1 });
  },

  'repeated claim returns each run as it was, field by field': async (scene) => {
    const concurrency = { key: 'k', limit: 1, whenFull: 'claim' } as const;
    await scene.submit('again');
    const run = await scene.start('again');
    const at = await scene.now();
    const errors = [{ epoch: run.epoch, at, name: 'Error', message: 'no', stack: 'at x' }];
    await scene.settle(settlementOf({ ...run, errors }, { type: 'retry', at, runAt: at }));
    await scene.submit('plain', { id: 'keyed', concurrency }, { id: 'over', concurrency });
    await scene.submit({ id: 'with policy', retry: '{}', origin: 'plain' }, { id: 'late', delayMs: 1 });
    await scene.advance(20);
    const first = await scene.claim({ requestId: 'lost', limit: 9 });

    const second = await scene.claim({ requestId: 'lost', limit: 9 });

    equal(first.map(({ run: { id } }) => id).length, 6);
    equal(byId(second), byId(first));
  },

  'repeated claim returns the runs that are still leased, although one of them was settled since': async (
    scene,
  ) => {
    await scene.submit('a', 'b');
    const [first] = await scene.claim({ requestId: 'lost' });
    await scene.settleNow('complete', first);

    const again = await scene.claim({ requestId: 'lost' });

    // A broker may also return what was settled: it cannot be settled again.
    equal(epochs(again), { b: 1, ...(again.length > 1 && { a: 1 }) });
    matches(await scene.read('a'), { state: 'completed', epoch: 1 });
    matches(await scene.broker.audit(), { started: 1, ended: { completed: 1 } });
  },

  'repeated claim does not restart a run that was released since': async (scene) => {
    await scene.settleNow('release', await scene.start('a', { requestId: 'lost' }));

    const again = await scene.claim({ requestId: 'lost' });

    equal(epochs(again), again.length > 0 ? { a: 1 } : {});
    matches(await scene.read('a'), { state: 'submitted', epoch: 1 });
  },

  'repeated claim applies the settlements of its call': async (scene) => {
    const run = await scene.start('a', { requestId: 'first' });
    await scene.submit('b');
    const settle = [settlementOf(run, { type: 'complete', at: await scene.now() })];
    const claim = { worker: 'w', requestId: 'lost', limit: 9, lanes: new Map([['l', 9]]), leaseMs: 9_000 };
    await scene.broker.exchange({ settle, claim });

    const again = await scene.broker.exchange({ settle, claim });

    equal(again.settled, ['already']);
    equal(epochs(again.claimed), { b: 1 });
  },

  'repeated claim works for both claims that a worker has outstanding': async (scene) => {
    await scene.submit('a', 'b');
    await scene.claim({ requestId: 'one', limit: 1 });
    await scene.claim({ requestId: 'two', limit: 1 });

    equal(epochs(await scene.claim({ requestId: 'one', limit: 1 })), { a: 1 });
    equal(epochs(await scene.claim({ requestId: 'two', limit: 1 })), { b: 1 });
  },

  'repeated claim is identified by worker and request id together': async (scene) => {
    await scene.submit('a', 'b');
    await scene.claim({ worker: 'w1', requestId: 'one', limit: 1 });

    const other = await scene.claim({ worker: 'w2', requestId: 'one', limit: 1 });

    equal(epochs(other), { b: 1 });
  },

  'repeated claim marks the same runs as over their limit': async (scene) => {
    const concurrency = { key: 'k', limit: 1, whenFull: 'claim' } as const;
    await scene.submit({ id: 'a', concurrency }, { id: 'b', concurrency });
    const first = await scene.claim({ requestId: 'lost' });

    const again = await scene.claim({ requestId: 'lost' });

    equal(
      first.map(({ isOverLimit }) => isOverLimit),
      [false, true],
    );
    equal(
      again.map(({ isOverLimit }) => isOverLimit),
      [false, true],
    );
  },
};

function epochs(claimed: readonly ClaimedRun[]): Record<string, number> {
  return Object.fromEntries(claimed.map(({ run }) => [run.id, run.epoch]));
}

/** Without the keys that are undefined: for a reader they are absent. */
function byId(claimed: readonly ClaimedRun[]): object {
  return Object.fromEntries(claimed.map((one) => [one.run.id, JSON.parse(JSON.stringify(one))]));
}
