/** Scenes of concurrency keys: who takes a slot, who waits for one, and when it is free. */
import type { Concurrency, Run } from '@retry/core/broker';
import { cancelRuns, endRuns, rescheduleRuns } from '@retry/core/broker/kit';
import { assertSame } from '../broker-agrees.ts';
import type { Steps } from './scene.ts';
import { complete, release, retry, tell } from './scene.ts';

const WAITS: Concurrency = { key: 'k', limit: 1, whenFull: 'wait' };
const CLAIMED: Concurrency = { ...WAITS, whenFull: 'claim' };
const KEEPS: Concurrency = { ...WAITS, holdWhileRetrying: true };

/** A run that is claimed over the limit of its key takes no slot: the next one starts when the first has ended. */
export const claimOverTheLimit = tell(async ({ submit, claim, settle, claimIds }) => {
  await submit({ id: 'first', concurrency: WAITS });
  await submit({ id: 'over', concurrency: CLAIMED }, { id: 'waits', concurrency: WAITS });
  const [first, over] = await claim({ limit: 2 });
  if (first === undefined || over === undefined) throw new Error('not all runs were claimed');
  await settle(complete(first.run));
  await claimIds();
  await settle(release(over.run));
  await claimIds();
});

/** As many runs of a key start as it has slots; the others come back in their order as slots become free. */
export const waitForSlots = tell(async ({ submit, claim, settle, broker, claimIds }) => {
  const concurrency = { ...WAITS, limit: 2 };
  await submit(...['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, concurrency })));
  await submit('plain', { id: 'one', concurrency: { ...WAITS, key: 'j' } });
  const started = await claim();
  await broker.list({ state: 'submitted', limit: 9 });
  await submit('last');
  for (const { run } of started.slice(0, 2)) {
    await settle(run.id === 'a' ? complete(run) : retry(run));
    await broker.list({ state: 'submitted', limit: 9 });
  }
  await claimIds({ limit: 1 });
  await claimIds();
  await broker.list({ state: 'submitted', limit: 9 });
});

/** Runs that wait for a slot are cancelled, ended by hand and rescheduled: none is left behind, and none is started. */
export const leaveWhileParked = tell(async ({ submit, claim, settle, broker, claimIds }) => {
  await submit(...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id, concurrency: WAITS })));
  const [first] = await claim();
  await cancelRuns(broker, ['b']);
  await endRuns(broker, [{ id: 'c', as: 'completed', result: '1' }]);
  await rescheduleRuns(broker, [{ id: 'd', delayMs: 60_000 }]);
  await broker.list({ state: 'submitted', limit: 9 });
  if (first !== undefined) await settle(complete(first.run));
  await broker.list({ state: 'submitted', limit: 9 });
  await claimIds();
});

/** A run that has come back to its lane for a free slot leaves it: the next one of the key comes in its place. */
export const leaveWithTheFreeSlot = tell(async ({ submit, claim, settle, broker, claimIds }) => {
  const ways: readonly ((id: string) => Promise<unknown>)[] = [
    (id) => cancelRuns(broker, [id]),
    (id) => endRuns(broker, [{ id, as: 'completed', result: '1' }]),
    (id) => rescheduleRuns(broker, [{ id, delayMs: 60_000 }]),
  ];
  for (const [round, leave] of ways.entries()) {
    const [first, next, last] = [`a${round}`, `b${round}`, `c${round}`];
    await submit(...[first, next, last].map((id) => ({ id, concurrency: WAITS })));
    await claim();
    await completeAll({ broker, settle }, [first]);
    await leave(next);
    assertSame(await claimIds(), [last]);
    await completeAll({ broker, settle }, [last]);
  }
});

/** A run that is to keep its slot while it is retried keeps it, starts again with it, and frees it when it ends. */
export const holdWhileRetrying = tell(async ({ submit, claim, settle, claimIds, advance }) => {
  await submit({ id: 'a', concurrency: KEEPS }, { id: 'b', concurrency: WAITS });
  for (const next of [retry, release, (run: Run) => retry(run, 100)]) {
    const [claimed] = await claim();
    if (claimed !== undefined) await settle(next(claimed.run));
  }
  assertSame(await claimIds(), []);
  await advance(100);
  const [last] = await claim();
  if (last === undefined) throw new Error('the run did not start again');
  assertSame(last.run.id, 'a');
  await settle(complete(last.run));
  assertSame(await claimIds(), ['b']);
});

/** A run that keeps its slot is not over the limit when it starts again, and others are. */
export const holdOverTheLimit = tell(async ({ submit, claim, settle }) => {
  await submit(
    { id: 'a', concurrency: { ...CLAIMED, holdWhileRetrying: true } },
    { id: 'b', concurrency: CLAIMED },
  );
  const [first] = await claim({ limit: 1 });
  if (first !== undefined) await settle(retry(first.run));
  const again = await claim();
  assertSame(
    again.map(({ run, isOverLimit }) => [run.id, isOverLimit]),
    [
      ['b', true],
      ['a', false],
    ],
  );
});

/** A run that keeps its slot ends while it waits, by a cancel or by hand: the slot is free. */
export const endWhileHolding = tell(async ({ submit, claim, settle, broker, claimIds }) => {
  const ways: readonly ((id: string) => Promise<unknown>)[] = [
    (id) => cancelRuns(broker, [id]),
    (id) => endRuns(broker, [{ id, as: 'completed', result: '1' }]),
    (id) => endRuns(broker, [{ id, as: 'failed', error: { name: 'Error', message: 'no' } }]),
  ];
  for (const [round, end] of ways.entries()) {
    const [keeper, next] = [`a${round}`, `b${round}`];
    await submit({ id: keeper, concurrency: KEEPS }, { id: next, concurrency: WAITS });
    const [first] = await claim({ limit: 1 });
    if (first !== undefined) await settle(retry(first.run, 60_000));
    assertSame(await claimIds(), []);
    await end(keeper);
    assertSame(await claimIds(), [next]);
    await completeAll({ broker, settle }, [next]);
  }
});

/** A run that keeps its slot has a cancel request when it fails: it is cancelled, and the slot is free. */
export const cancelRequestWhileHolding = tell(async ({ submit, claim, settle, broker, claimIds }) => {
  await submit({ id: 'a', concurrency: KEEPS }, { id: 'b', concurrency: WAITS });
  const [first] = await claim();
  await cancelRuns(broker, ['a']);
  if (first !== undefined) await settle(retry(first.run));
  assertSame(await claimIds(), ['b']);
});

/** Completes these runs, which are started. */
async function completeAll(
  { broker, settle }: Pick<Steps, 'broker' | 'settle'>,
  ids: readonly string[],
): Promise<void> {
  for (const run of await broker.get(ids)) if (run !== undefined) await settle(complete(run));
}
