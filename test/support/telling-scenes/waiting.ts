/** Scenes of submissions, of waiting runs that an operator moves or ends, and of runs that are redriven or discarded. */
import type { ClaimedOperation } from '@retry/core/broker/kit';
import {
  cancelRuns,
  changeOperation,
  claimOperation,
  discardRuns,
  endRuns,
  getOperation,
  listOperations,
  newRun,
  putOperation,
  redriveRuns,
  rescheduleRuns,
  stepOperation,
} from '@retry/core/broker/kit';
import { assertSame } from '../broker-agrees.ts';
import { extrasOf } from '../broker-extras.ts';
import { claimEach, complete, fail, release, retry, retryWithStack, tell } from './scene.ts';

const ERROR = { name: 'OperatorError', message: 'ü' };

/** A known id is not submitted again: alone, with others, or twice in one call. */
export const submitKnownIds = tell(async (steps) => {
  const { submit, broker, now } = steps;
  await submit('a');
  await submit('a');
  await submit('a', 'b', 'c');
  await submit('d', 'e', 'd');
  await submit('f', { id: 'g', delayMs: 60_000 }, 'f', 'a');
  await submit({ id: 'a', payload: '"other"' });
  await broker.get(['a']);
  await broker.list({ state: 'submitted', limit: 9 });
  await submit({ id: 'h', runAt: (await now()) - 1, payload: '"last"' });
  assertSame(await claimEach(steps), ['a', 'b', 'c', 'd', 'e', 'f', 'h']);
});

/** Waiting runs are cancelled wherever they wait: in the lane, at its front and on the schedule. None of them starts. */
export const cancelWherever = tell(async (steps) => {
  const { submit, claim, settle, broker, advance } = steps;
  await submit('front', 'a', 'b', 'c', { id: 'later', delayMs: 100 });
  const [first] = await claim({ limit: 1 });
  if (first !== undefined) await settle(release(first.run));
  await cancelRuns(broker, ['front', 'a', 'later', 'unknown']);
  await broker.list({ state: 'submitted', limit: 9 });
  await steps.claimIds({ limit: 1 });
  await cancelRuns(broker, ['c']);
  await submit('d');
  await advance(100);
  await claimEach(steps);
  await broker.attend();
});

/** Waiting runs are ended by hand wherever they wait. None of them starts, and no lane has one left. */
export const endWherever = tell(async (steps) => {
  const { submit, claim, settle, broker, advance } = steps;
  await submit('front', 'a', 'b', 'c', { id: 'later', delayMs: 100 });
  const [first] = await claim({ limit: 1 });
  if (first !== undefined) await settle(release(first.run));
  for (const id of ['front', 'a', 'later', 'unknown'])
    assertSame(await endRuns(broker, [{ id, as: 'completed', result: '{"by":"hand"}' }]), [
      id === 'unknown' ? 'gone' : 'done',
    ]);
  await endRuns(broker, [{ id: 'c', as: 'failed', error: ERROR }]);
  await broker.list({ state: 'submitted', limit: 9 });
  await submit('d');
  await advance(100);
  assertSame(await claimEach(steps), ['b', 'd']);
  await endRuns(broker, [{ id: 'b', as: 'completed', result: '1' }]);
  await broker.heartbeat([{ id: 'b', epoch: 1 }], 0);
});

/** Dead letters are redriven for later, alone and with others, and those that ended too late stay; each starts once. */
export const redriveLater = tell(async (steps) => {
  const { submit, claim, settle, broker, advance, now } = steps;
  await submit('a', 'b', 'c', 'd', 'e');
  await settle(...(await claim()).map(({ run }) => fail(run)));
  await advance(10);
  const at = await now();
  const runAts = new Map([
    ['a', at + 100],
    ['c', at - 5],
    ['d', at + 60_000],
  ]);
  const before = (await broker.get(['e']))[0]?.endedAt ?? 0;
  assertSame(await redriveRuns(broker, ['e'], { endedBefore: before, runAts }), ['refused']);
  assertSame(await discardRuns(broker, ['e', 'e'], { endedBefore: before }), ['refused', 'refused']);
  await redriveRuns(broker, ['b', 'a', 'c', 'd', 'a', 'unknown'], { runAts, endedBefore: before + 1 });
  await broker.get(['a', 'b', 'c', 'd']);
  await broker.list({ state: 'scheduled', limit: 9 });
  await claimEach(steps);
  await advance(100);
  await claimEach(steps);
  await discardRuns(broker, ['e'], { endedBefore: before + 1 });
});

/** Operations are claimed, stepped, paused and ended; what is sent twice, or too late, changes nothing. */
export const stepOperations = tell(async (steps) => {
  const { submit, claim, settle, broker, advance } = steps;
  await submit('a', 'b', 'c', 'd', 'e');
  await settle(...(await claim()).map(({ run }) => fail(run)));
  const filter = { state: 'failed', endedBefore: Number.MAX_SAFE_INTEGER } as const;
  for (const [id, kind] of [
    ['first', 'redrive'],
    ['second', 'discard'],
  ] as const) {
    await putOperation(broker, { id, kind, filter, planned: 4, isPlanExact: true });
    await advance(10);
  }
  const next = (carrier: string, leaseMs = 50) => claimOperation(broker, { carrier, leaseMs });
  const step = async (claimed: ClaimedOperation | undefined, ids: readonly string[], isLast = false) =>
    claimed && stepOperation(broker, claimed, { ids, skipped: 1, progress: ids.join(), isLast });
  const first = await next('w');
  await step(first, ['a', 'x', 'a-']);
  assertSame(await step(first, ['b']), 'fenced');
  await listOperations(broker);
  await next('v');
  const late = await next('w', 10);
  await advance(100);
  const now = await next('u');
  assertSame(await step(late, ['b']), 'fenced');
  await step(now, ['b', 'a']);
  const paused = await next('u');
  await changeOperation(broker, 'first', 'paused');
  assertSame(await step(paused, ['c']), 'fenced');
  await step(await next('u'), ['c', 'a']);
  await changeOperation(broker, 'first', 'running');
  await step(await next('u'), [], true);
  await getOperation(broker, 'first');
  await changeOperation(broker, 'second', 'cancelled');
  await changeOperation(broker, 'second', 'running');
  await listOperations(broker);
  await claimEach(steps);
});

/** Runs that have failed before are ended by hand, with a stack and without; what was known of them stays. */
export const endAfterErrors = tell(async ({ submit, claim, settle, broker }) => {
  const ids = ['a', 'b', 'c', 'd'];
  await submit(...ids);
  await settle(...(await claim()).map(({ run }) => retryWithStack(run, run.id === 'a' ? 0 : 60_000)));
  await endRuns(broker, [
    { id: 'a', as: 'failed', error: { ...ERROR, stack: 'at desk' } },
    { id: 'b', as: 'failed', error: ERROR },
    { id: 'c', as: 'completed', result: '"by hand"' },
  ]);
  await broker.get(ids);
  await redriveRuns(broker, ['a', 'b', 'c']);
  await broker.get(ids);
});

/** Runs that bring attempts along are ended by hand: before any settlement, after one, and after a redrive. */
export const endAfterCarried = tell(async ({ submit, claim, settle, broker }) => {
  const ids = ['f', 'h', 'plain'];
  await submit(...ids.map((id) => ({ id, ...extrasOf(id) })));
  const end = () =>
    endRuns(
      broker,
      ids.map((id) => ({ id, as: 'failed', error: ERROR }) as const),
    );
  await end();
  await redriveRuns(broker, ['f', 'h'], { keepAttempts: true });
  await settle(...(await claim()).map(({ run }) => retryWithStack(run, 60_000)));
  await end();
  await redriveRuns(broker, ids);
  await end();
});

/** Waiting runs are rescheduled wherever they wait: each is in one place after, and starts once. */
export const rescheduleWherever = tell(async (steps) => {
  const { submit, claim, settle, broker, advance } = steps;
  await submit('front', 'a', 'b', 'c', { id: 'later', delayMs: 1_000 }, { id: 'latest', delayMs: 5_000 });
  const [first] = await claim({ limit: 1 });
  if (first !== undefined) await settle(release(first.run));
  await advance(10);
  await rescheduleRuns(
    broker,
    ['front', 'later', 'b'].map((id) => ({ id })),
  );
  await broker.get(['front', 'later', 'b']);
  await broker.list({ state: 'submitted', limit: 9 });
  await rescheduleRuns(broker, [
    { id: 'a', delayMs: 100 },
    { id: 'latest', delayMs: 200 },
  ]);
  await rescheduleRuns(broker, [
    { id: 'b', delayMs: 100 },
    { id: 'b', delayMs: 300 },
  ]);
  await broker.list({ state: 'scheduled', limit: 9 });
  await claimEach(steps);
  await advance(100);
  await claimEach(steps);
  await advance(300);
  await claimEach(steps);
  await rescheduleRuns(broker, [{ id: 'a' }, { id: 'unknown' }]);
});

/** Runs are changed that are no longer what was seen, or twice in a call: each is written once at most. */
export const changeWhatWasSeen = tell(async ({ submit, broker }) => {
  await submit('a', 'b');
  const { now, runs } = await broker.get(['a', 'b'], { answer: 'seen' });
  const [a, b] = runs.map((one) => ({
    ...{ id: one?.run.id ?? '', seen: one?.seen ?? '' },
    next: {
      ...newRun({ ...NO_IDENTITY, ...one?.run }),
      ...one?.run,
      state: 'cancelled',
      endedAt: now,
    } as const,
  }));
  if (a === undefined || b === undefined) return;
  await rescheduleRuns(broker, [{ id: 'a', delayMs: 60_000 }]);
  assertSame(await broker.change([a, b, b]), ['changed', 'done', 'changed']);
  await broker.get(['a', 'b']);
  await broker.audit();
});

const NO_IDENTITY = {
  id: '',
  lane: '',
  payload: '',
  concurrency: undefined,
  retry: undefined,
  origin: undefined,
  context: undefined,
};

/** A run leaves its lane and comes back to its end: what it left there does not start it. */
export const comeBackToTheLane = tell(async (steps) => {
  const { submit, broker, advance } = steps;
  await submit('a', 'b', 'c');
  await rescheduleRuns(broker, [{ id: 'a', delayMs: 10 }]);
  await advance(10);
  await rescheduleRuns(broker, [{ id: 'a' }]);
  await broker.list({ state: 'submitted', limit: 9 });
  await cancelRuns(broker, ['b']);
  await discardRuns(broker, ['b']);
  await submit('d', 'b');
  await broker.list({ state: 'submitted', limit: 9 });
  assertSame(await claimEach(steps), ['c', 'a', 'd', 'b']);
});

/** Ended runs are redriven or discarded: some may not be; counters are reset, and an id is free. */
export const redriveAndDiscard = tell(async (steps) => {
  const { submit, claim, settle, broker } = steps;
  await submit('a', 'b', 'c', 'd', 'e', { id: 'keyed', keyed: true });
  await cancelRuns(broker, ['d']);
  await settle(...(await claim()).map(({ run }) => retry(run)));
  const claimed = await claim();
  await settle(...claimed.map(({ run }) => (run.id === 'c' ? complete(run) : fail(run))));
  await redriveRuns(broker, ['a', 'c', 'd', 'unknown']);
  await redriveRuns(broker, ['b'], { keepAttempts: true });
  await broker.get(['a', 'b']);
  await discardRuns(broker, ['c', 'd', 'a', 'unknown', 'keyed']);
  await submit('c', 'd', 'keyed');
  await claimEach(steps);
});
