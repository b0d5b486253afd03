/** Scenes of what operators ask: lanes and due times. */
import { cancelRuns } from '@retry/core/broker/kit';
import { figuresOf } from '../../../packages/broker-contract/src/insight/figures-of.ts';
import type { Steps } from './scene.ts';
import { release, retry, tell } from './scene.ts';

/**
 * Runs wait at the front of a lane, in it, behind a key, behind the turn of a key and on the schedule; some were cancelled, some have
 * started.
 */
export const askAboutLanes = tell(async (steps) => {
  const { submit, claim, settle, broker, advance } = steps;
  const keyed = { lane: 'k', concurrency: { key: 'k', limit: 1, whenFull: 'wait' } } as const;
  await submit({ id: 'k1', ...keyed }, { id: 'k2', ...keyed }, { id: 'k3', ...keyed });
  await advance(5);
  await ask(steps);
  await claim({ lanes: ['k'] });
  await ask(steps);
  for (const id of ['a', 'b', 'c']) {
    await advance(10);
    await submit(id);
  }
  await submit({ id: 'm', lane: 'm' });
  await submit(...['f1', 'f2', 'f3'].map((id) => ({ id, lane: 'f', fairnessKey: 'f' })));
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
  const figures = figuresOf({ broker });
  for (const lanes of [undefined, ['l'], ['m', 'n'], []])
    await figures.dueTimes({ from, bucketMs: 10, buckets: 4, ...(lanes && { lanes }) });
  await figures.dueTimes({ from: 0, bucketMs: from, buckets: 2 });
  await figures.dueTimes({ from: from + 40, bucketMs: 1, buckets: 1 });
});

async function ask({ broker }: Steps): Promise<void> {
  const figures = figuresOf({ broker });
  await figures.lanes({});
  await figures.lanes({ lanes: ['l', 'n', 'unknown'] });
  await figures.attempts({});
}
