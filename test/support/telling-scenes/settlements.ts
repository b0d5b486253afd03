/** Scenes of settlements: fences, settlements that are sent again, and what becomes of the run. */
import type { Run } from '@retry/core/broker';
import { complete, fail, release, retry, retryWithStack, runsOf, tell } from './scene.ts';

/** A settlement of an earlier start is fenced, however it would end, before and after a heartbeat. */
export const settleEarlierStart = tell(async ({ start, claim, settle, broker }) => {
  const first = await start('a');
  await settle(release(first));
  const [second] = await claim();
  for (const settlement of [retry(first), complete(first), fail(first), retry(first, 500)])
    await settle(settlement);
  await broker.heartbeat([{ id: 'a', epoch: 2 }], 60_000);
  for (const settlement of [retry(first), complete(first), fail(first)]) await settle(settlement);
  if (second !== undefined) await settle(retry(second.run));
  // The run waits again, for its third start.
  for (const settlement of [complete(first), fail(first)]) await settle(settlement);
});

/** A settlement that is sent again is answered so, alone and with others; another one of the same start is fenced. */
export const settleTwice = tell(async ({ submit, claim, settle }) => {
  await submit('a', 'b', 'c', 'd');
  const [one, two, three, four] = runsOf(await claim());
  if (!one || !two || !three || !four) throw new Error('not all runs were claimed');
  for (const settlement of [complete(one), fail(two), retry(three), retry(four, 500)]) {
    await settle(settlement);
    await settle(settlement);
  }
  await settle(complete(one), complete(one), fail(two), retry(three), retry(four, 500));
  await settle(fail(one), complete(two), complete(three), fail(four));
  const [again] = runsOf(await claim());
  if (again === undefined) throw new Error('no run was claimed');
  await settle(complete(again));
  await settle(complete(again));
  await settle(retry(again));
});

/** First starts complete, alone, together and beside others; none is started any longer, none is found expired. */
export const completeFirstStarts = tell(async ({ submit, claim, settle, broker, advance }) => {
  await submit('a', 'b', 'c', 'd', 'e');
  const [one, two, three, four, five] = runsOf(await claim({ leaseMs: 100 }));
  if (!one || !two || !three || !four || !five) throw new Error('not all runs were claimed');
  await settle(complete(one));
  await settle(complete(two), complete(three));
  await settle(complete(four), fail(five));
  await advance(200);
  await broker.findExpired(10);
});

/** Runs that have failed once complete together, and beside one that fails again. */
export const completeLaterStarts = tell(async ({ submit, claim, settle, broker, advance }) => {
  await submit('a', 'b', 'c', 'd');
  await settle(...runsOf(await claim()).map((run) => retry(run)));
  await broker.list({ state: 'submitted', limit: 9 });
  const [one, two, three, four] = runsOf(await claim({ leaseMs: 100 }));
  if (!one || !two || !three || !four) throw new Error('not all runs were claimed');
  await settle(complete(one), complete(two));
  await settle(complete(three), retry(four));
  await advance(200);
  await broker.findExpired(10);
});

/** Runs with a stack complete: it stays, as that of their last error. */
export const completeAfterStack = tell(async ({ submit, claim, settle, broker }) => {
  const concurrency = { key: 'k', limit: 9, whenFull: 'wait' } as const;
  await submit('a', { id: 'b', concurrency });
  await settle(...runsOf(await claim()).map((run) => retryWithStack(run)));
  await broker.get(['a', 'b']);
  await settle(...runsOf(await claim()).map((run) => complete(run)));
  await broker.get(['a', 'b']);
});

/** A delay counts from the settlement, by the clock of the broker. */
export const settleWithDelay = tell(async ({ start, settle, advance, broker, claimIds }) => {
  const run = await start('a');
  await advance(500);
  await settle({ ...retry(run, 1), delayMs: 100 });
  await broker.get(['a']);
  await advance(60);
  await claimIds();
  await advance(39);
  await claimIds();
  await advance(1);
  await claimIds();
});

/** A result that was kept for a caller, and was collected, is kept like others from then on. */
export const collectResult = tell(async ({ submit, claim, settle, broker, advance }) => {
  await submit(...['a', 'b', 'c'].map((id) => ({ id, keepResultMs: 1_000 })));
  await settle(...runsOf(await claim()).map((run) => complete(run)));
  await broker.get(['a'], { collect: true });
  await broker.get(['a', 'b'], { collect: true });
  await advance(2_000);
  await broker.get(['c']);
});

/** Settlements that submit a run: it is created if the settlement is accepted, in its own lane, and when it is due. */
export const submitBySettlement = tell(async ({ submit, claim, settle, broker, advance, claimIds }) => {
  await submit('a', 'b', 'c', 'd');
  const [one, two, three, four] = runsOf(await claim());
  if (!one || !two || !three || !four) throw new Error('not all runs were claimed');
  const letterOf = (run: Run) => ({ id: `{${run.id}}letter`, lane: 'letters', payload: '"letter"' });
  await settle({ ...fail(one), submit: letterOf(one) });
  await settle(
    { ...fail(one), epoch: 7, submit: { ...letterOf(one), id: '{a}of a stale start' } },
    { ...complete(two), submit: { ...letterOf(two), delayMs: 500 } },
    { ...fail(three), submit: { ...letterOf(three), lane: 'other' } },
  );
  await settle({ ...fail(one), submit: { ...letterOf(one), id: '{a}of a repetition' } });
  await settle({ ...fail(four), submit: letterOf(four) });
  await broker.get(['{a}letter', '{b}letter', '{a}of a stale start', '{a}of a repetition']);
  await claimIds({ lanes: ['letters', 'other', 'l'] });
  await advance(500);
  await claimIds({ lanes: ['letters'] });
});

/** The runs of a claim. */
