/** Scenes of leases: heartbeats, cleaners and cancel requests. */
import { cancelRuns } from '@retry/core/broker/kit';
import { complete, fail, release, retry, stall, tell } from './scene.ts';

/** A short heartbeat does not shorten a lease: a cleaner that is too early is fenced. */
export const settleAfterShortHeartbeat = tell(async ({ start, settle, advance, broker }) => {
  const run = await start('a', { leaseMs: 1_000 });
  await broker.heartbeat([{ id: 'a', epoch: 1 }], 10);
  await advance(500);
  await broker.findExpired(10);
  await settle(stall(run));
});

/** A cleaner settles only what has expired, whether a heartbeat came or not. */
export const stallTooEarly = tell(async ({ start, settle, advance, broker }) => {
  const [one, other] = [await start('a', { leaseMs: 100 }), await start('b', { leaseMs: 100 })];
  await settle(stall(one), stall(other));
  await broker.heartbeat([{ id: 'a', epoch: 1 }], 100);
  await settle(stall(one));
  await advance(100);
  await settle(stall(one), stall(other));
});

/** A heartbeat is recorded, charges nothing and moves no start; one of another epoch, or of an ended run, is fenced. */
export const heartbeatOfEachEpoch = tell(async ({ start, claim, settle, advance, broker }) => {
  const beats = [0, 1, 2, 3].map((epoch) => ({ id: 'a', epoch }));
  const run = await start('a');
  for (const beat of beats) {
    await advance(10);
    await broker.heartbeat([beat], 60_000);
    await broker.get(['a']);
  }
  await settle(retry(run));
  const [again] = await claim();
  for (const beat of beats) {
    await advance(10);
    await broker.heartbeat([beat], 60_000);
  }
  await broker.get(['a']);
  if (again !== undefined) await settle(complete(again.run));
  await broker.heartbeat(beats, 60_000);
});

/** Runs of two lanes expire; cleaners ask for those of one, and of all but one. */
export const findExpiredOfOneLane = tell(async ({ submit, claim, advance, broker }) => {
  await submit('of l', { id: 'of m', lane: 'm' });
  await claim({ lanes: ['l', 'm'], leaseMs: 1_000 });
  await advance(2_000);
  await broker.findExpired(10, { lanes: ['l'] });
  await broker.findExpired(10, { exceptLanes: ['l'] });
  await broker.findExpired(10, { lanes: [] });
});

/** A run with a cancel request that would wait again is cancelled, however it is settled; one that ends has its own end. */
export const settleAfterCancelRequest = tell(async ({ submit, claim, settle, broker, advance }) => {
  const ids = ['retried', 'later', 'released', 'completed', 'failed'];
  await submit(...ids);
  const claimed = await claim();
  await cancelRuns(broker, ids);
  await advance(10);
  const [retried, later, released, completed, failed] = claimed.map(({ run }) => run);
  if (!retried || !later || !released || !completed || !failed) throw new Error('not all runs were claimed');
  await settle(retry(retried));
  await settle(retry(later, 1_000));
  await settle(release(released), complete(completed), fail(failed));
  await claim();
});
