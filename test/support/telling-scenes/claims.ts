/** Scenes of claims: their order, and claims that are made again. */
import type { Run, Settlement } from '@retry/core/broker';
import { assertSame } from '../broker-agrees.ts';
import { claimEach, complete, release, retry, runsOf, tell } from './scene.ts';

/** A repeated claim returns nothing of a run that was released, and claimed by another request since. */
export const claimAgainAfterRelease = tell(async ({ start, claim, settle }) => {
  await settle(release(await start('a', { requestId: '1' })));
  await claim({ requestId: '2' });

  const again = await claim({ requestId: '1', lanes: [] });

  assertSame(
    again.filter(({ run }) => run.epoch > 1),
    [],
  );
});

/** Each run is claimed once, whether a claim takes one or several, and in the order of the lane. */
export const claimInOrder = tell(async (steps) => {
  await steps.submit('a', 'b', 'c', 'd', 'e', { id: 'other', lane: 'm' });
  await steps.claimIds({ limit: 2, lanes: ['m', 'l'] });
  await steps.claimIds({ lanes: [['l', 1], 'm'] });
  await claimEach(steps);
  await steps.submit('f', 'g');
  await steps.claimIds();
  await steps.claimIds();
});

/** Runs without a concurrency key are claimed together with one that has one. */
export const claimBesideKeys = tell(async (steps) => {
  const concurrency = { key: 'k', limit: 1, whenFull: 'wait' } as const;
  await steps.submit('a', { id: 'keyed', concurrency }, 'b', 'c', { id: 'waits', concurrency }, 'd');
  await steps.claimIds({ limit: 3 });
  await claimEach(steps);
  await steps.claimIds();
});

/** Runs that are released go before all others of their lane, in their order, and start from there. */
export const claimReleased = tell(async (steps) => {
  const { submit, claim, settle } = steps;
  await submit('a', 'b', 'c', 'd');
  for (const limit of [2, 1]) {
    const claimed = await claim({ limit });
    await settle(...claimed.map(({ run }) => release(run)));
    await steps.broker.list({ state: 'submitted', limit: 9 });
  }
  await steps.claimIds({ limit: 3 });
  await claimEach(steps);
});

/** Runs that are due later come to the back of their lane when they are due, and not before. */
export const claimWhenDue = tell(async ({ submit, claimIds, advance, broker }) => {
  await submit({ id: 'c', delayMs: 100 }, { id: 'a', delayMs: 99 }, { id: 'b', delayMs: 100 });
  await submit({ id: 'last', delayMs: 120 }, 'x', { id: 'soon', delayMs: 90 });
  await advance(60);
  await claimIds({ limit: 1 });
  await advance(29);
  await submit('y');
  await claimIds({ limit: 1 });
  await advance(11);
  await claimIds({ limit: 1, leaseMs: 5_000 });
  await broker.list({ state: 'submitted', limit: 9 });
});

/** Runs start again, one after another and several together, and each start is charged once. */
export const claimAfterRetry = tell(async ({ submit, claim, settle, advance }) => {
  await submit('a', 'b');
  for (let epoch = 1; epoch < 4; epoch += 1) {
    const claimed = await claim({ limit: epoch % 2 === 1 ? 2 : 1 });
    await advance(1);
    await settle(...claimed.map(({ run }) => retry(run)));
  }
  const claimed = await claim();
  await settle(...claimed.map(({ run }) => complete(run)));
  await claim();
});

/** A second claim finds nothing of what a first one has leased, and its runs expire. */
export const claimAndExpire = tell(async ({ submit, claim, advance, broker }) => {
  await submit('a', 'b', 'c');
  await claim({ limit: 1, leaseMs: 100 });
  await claim({ leaseMs: 100 });
  await broker.findExpired(10);
  await advance(200);
  await broker.findExpired(10);
});

/** Runs carry their policy and their origin through each start, beside runs that have none. */
export const claimWithExtras = tell(async ({ submit, claim, settle }) => {
  await submit('a', { id: 'b', retry: '{"maxAttempts":"ü"}', origin: 'a' }, { id: 'c', origin: 'b' });
  for (const limit of [3, 1, 2]) {
    const claimed = await claim({ limit });
    await settle(...claimed.map(({ run }) => retry(run)));
  }
});

/** The same of some runs together. */
export const claimSomeAndExpire = tell(async ({ submit, claim, advance, broker }) => {
  await submit('a', 'b', 'c', 'd');
  await claim({ limit: 3, leaseMs: 100 });
  await advance(200);
  await broker.findExpired(10);
});

/**
 * One run completes in the call that claims others of its lane, also one that a heartbeat has written since. A settlement that comes
 * again changes nothing, nor does one of another epoch, and what is claimed beside it is claimed all the same.
 */
export const settleBesideClaims = tell(async ({ submit, broker }) => {
  await submit('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i');
  let request = 0;
  const exchange = async (limit: number, ...settle: Settlement[]): Promise<Run> => {
    const lanes = new Map([['l', 9]]);
    const claim = { worker: 'w', requestId: `beside ${++request}`, limit, lanes, leaseMs: 60_000 };
    const { claimed } = await broker.exchange({ settle, claim });
    const [first] = runsOf(claimed);
    if (first === undefined) throw new Error('a run is left');
    return first;
  };
  const a = await exchange(1);
  const b = await exchange(1, complete(a));
  const c = await exchange(2, complete(b));
  await broker.heartbeat([{ id: c.id, epoch: c.epoch }], 60_000); // writes the run, which is no longer where the claim saw it
  const e = await exchange(1, complete(c));
  const f = await exchange(2, { ...complete(e), epoch: e.epoch + 1 });
  await exchange(1, complete(a));
  await exchange(1, complete(f));
});
