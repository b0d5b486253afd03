/** Scenes of submissions, of waiting runs that an operator moves or ends, and of runs that are redriven or discarded. */
import { assertSame } from '../broker-agrees.ts';
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
  await broker.cancel(['front', 'a', 'later', 'unknown']);
  await broker.list({ state: 'submitted', limit: 9 });
  await steps.claimIds({ limit: 1 });
  await broker.cancel(['c']);
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
    assertSame(await broker.end([{ id, as: 'completed', result: '{"by":"hand"}' }]), [
      id === 'unknown' ? 'gone' : 'done',
    ]);
  await broker.end([{ id: 'c', as: 'failed', error: ERROR }]);
  await broker.list({ state: 'submitted', limit: 9 });
  await submit('d');
  await advance(100);
  assertSame(await claimEach(steps), ['b', 'd']);
  await broker.end([{ id: 'b', as: 'completed', result: '1' }]);
  await broker.findCancelRequests([{ id: 'b', epoch: 1 }]);
});

/** Runs that have failed before are ended by hand, with a stack and without; what was known of them stays. */
export const endAfterErrors = tell(async ({ submit, claim, settle, broker }) => {
  const ids = ['a', 'b', 'c', 'd'];
  await submit(...ids);
  await settle(...(await claim()).map(({ run }) => retryWithStack(run, run.id === 'a' ? 0 : 60_000)));
  await broker.end([
    { id: 'a', as: 'failed', error: { ...ERROR, stack: 'at desk' } },
    { id: 'b', as: 'failed', error: ERROR },
    { id: 'c', as: 'completed', result: '"by hand"' },
  ]);
  await broker.get(ids);
  await broker.redrive(['a', 'b', 'c']);
  await broker.get(ids);
});

/** Waiting runs are rescheduled wherever they wait: each is in one place after, and starts once. */
export const rescheduleWherever = tell(async (steps) => {
  const { submit, claim, settle, broker, advance } = steps;
  await submit('front', 'a', 'b', 'c', { id: 'later', delayMs: 1_000 }, { id: 'latest', delayMs: 5_000 });
  const [first] = await claim({ limit: 1 });
  if (first !== undefined) await settle(release(first.run));
  await advance(10);
  await broker.reschedule(['front', 'later', 'b'].map((id) => ({ id })));
  await broker.get(['front', 'later', 'b']);
  await broker.list({ state: 'submitted', limit: 9 });
  await broker.reschedule([
    { id: 'a', delayMs: 100 },
    { id: 'latest', delayMs: 200 },
  ]);
  await broker.reschedule([
    { id: 'b', delayMs: 100 },
    { id: 'b', delayMs: 300 },
  ]);
  await broker.list({ state: 'scheduled', limit: 9 });
  await claimEach(steps);
  await advance(100);
  await claimEach(steps);
  await advance(300);
  await claimEach(steps);
  await broker.reschedule([{ id: 'a' }, { id: 'unknown' }]);
});

/** A run leaves its lane and comes back to its end: what it left there does not start it. */
export const comeBackToTheLane = tell(async (steps) => {
  const { submit, broker, advance } = steps;
  await submit('a', 'b', 'c');
  await broker.reschedule([{ id: 'a', delayMs: 10 }]);
  await advance(10);
  await broker.reschedule([{ id: 'a' }]);
  await broker.list({ state: 'submitted', limit: 9 });
  await broker.cancel(['b']);
  await broker.discard(['b']);
  await submit('d', 'b');
  await broker.list({ state: 'submitted', limit: 9 });
  assertSame(await claimEach(steps), ['c', 'a', 'd', 'b']);
});

/** Ended runs are redriven or discarded: some may not be; counters are reset, and an id is free. */
export const redriveAndDiscard = tell(async (steps) => {
  const { submit, claim, settle, broker } = steps;
  await submit('a', 'b', 'c', 'd', 'e', { id: 'keyed', keyed: true });
  await broker.cancel(['d']);
  await settle(...(await claim()).map(({ run }) => retry(run)));
  const claimed = await claim();
  await settle(...claimed.map(({ run }) => (run.id === 'c' ? complete(run) : fail(run))));
  await broker.redrive(['a', 'c', 'd', 'unknown']);
  await broker.redrive(['b'], { keepAttempts: true });
  await broker.get(['a', 'b']);
  await broker.discard(['c', 'd', 'a', 'unknown', 'keyed']);
  await submit('c', 'd', 'keyed');
  await claimEach(steps);
});
