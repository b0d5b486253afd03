/** Scenes of what operators ask: lanes, due times and workers. */
import type { Insight, WorkerFacts } from '@retry/core/broker';
import { cancelRuns, discardRuns } from '@retry/core/broker/kit';
import { die } from '../../../packages/worker/src/testing/contract/groups/grouped.ts';
import type { Steps } from './scene.ts';
import { release, retry, tell } from './scene.ts';

const FACTS: WorkerFacts = { slots: 1, slotsTaken: 0, leases: 0 };

/** Runs wait at the front of a lane, in it, behind a key and on the schedule; some were cancelled, some have started. */
export const askAboutLanes = tell(async (steps) => {
  const { submit, claim, settle, broker, advance } = steps;
  const keyed = { concurrency: { key: 'k', limit: 1, whenFull: 'wait' } } as const;
  await submit({ id: 'k1', ...keyed }, { id: 'k2', ...keyed }, { id: 'k3', ...keyed });
  await advance(5);
  await ask(steps);
  await claim();
  await ask(steps);
  for (const id of ['a', 'b', 'c']) {
    await advance(10);
    await submit(id);
  }
  await submit({ id: 'm', lane: 'm' });
  await cancelRuns(broker, ['a']);
  await ask(steps);
  await advance(4);
  const [other] = await claim({ lanes: ['m'] });
  await advance(7);
  await ask(steps);
  if (other !== undefined) await settle(retry(other.run));
  await advance(2);
  await ask(steps);
  const [first] = await claim({ limit: 1 });
  await advance(20);
  await submit(
    { id: 'soon', delayMs: 30 },
    { id: 'later', delayMs: 1_000 },
    { id: 'other', lane: 'n', delayMs: 5 },
  );
  await ask(steps);
  if (first !== undefined) await settle(release(first.run));
  await ask(steps);
  await advance(31);
  await ask(steps);
  const [second] = await claim({ limit: 1 });
  if (second !== undefined) await settle(retry(second.run));
  await advance(3);
  await ask(steps);
});

/** Runs are due at the beginning of a span, within it, before its end and at its end; in one lane and in another. */
export const askAboutDueTimes = tell(async ({ submit, broker, now }) => {
  const from = (await now()) + 1_000;
  for (const lane of ['l', 'm'])
    await submit(
      ...[-1, 0, 0, 5, 9, 10, 19, 39, 40, 100].map((ms, index) => ({
        id: `${lane}${index}`,
        lane,
        runAt: from + ms,
      })),
    );
  const insight = insightOf(broker);
  for (const lanes of [undefined, ['l'], ['m', 'n'], []])
    await insight.dueTimes({ from, bucketMs: 10, buckets: 4, ...(lanes && { lanes }) });
  await insight.dueTimes({ from: 0, bucketMs: from, buckets: 2 });
  await insight.dueTimes({ from: from + 40, bucketMs: 1, buckets: 1 });
});

/** Groups come, double, lose some of their dead letters and all of them, and come again. */
export const askAboutGroupNotices = tell(async (steps) => {
  const { broker } = steps;
  const { claimGroupNotices } = insightOf(broker);
  for (let count = 1; count <= 8; count += 1) {
    await die(steps, { [`x${count}`]: 'x', ...(count % 3 === 0 && { [`y${count}`]: 'y' }) });
    await claimGroupNotices();
  }
  await die(steps, { m1: 'x' }, 'm');
  await discardRuns(broker, ['x1', 'x2', 'x3', 'x4', 'x5', 'y3', 'y6']);
  await claimGroupNotices();
  await die(steps, { a1: 'x', a2: 'x', a3: 'x', a4: 'x', a5: 'x', a6: 'y' });
  await claimGroupNotices();
  await claimGroupNotices();
});

/** Workers attend, attend again, leave, and lapse. */
export const askAboutWorkers = tell(async ({ submit, broker, advance }) => {
  const { workers, lanes } = insightOf(broker);
  const flow = { windowMs: 100, lanes: [{ lane: 'l', starts: 3, retries: 1, ends: 2, maxLatenessMs: 7 }] };
  await submit('a');
  await broker.attend({ worker: 'b', lanes: ['l', 'm'], ttlMs: 100, facts: { ...FACTS, flow } });
  await advance(10);
  await broker.attend({ worker: 'a', lanes: ['m'], ttlMs: 20 });
  await workers();
  await lanes();
  await broker.attend({ worker: 'b', lanes: ['m'], ttlMs: 200, facts: FACTS });
  await workers();
  await advance(20);
  await workers();
  await broker.attend({ worker: 'b', lanes: [], ttlMs: 0 });
  await workers();
  await lanes();
});

async function ask({ broker }: Steps): Promise<void> {
  const insight = insightOf(broker);
  await insight.lanes();
  await insight.lanes({ lanes: ['l', 'n', 'unknown'] });
  await insight.attempts();
}

function insightOf({ insight }: Steps['broker']): Insight {
  if (insight === undefined) throw new Error('the broker has no insight');
  return insight;
}
