/** Scenes of unique keys: until when a run has its key, and what a submission does about it. */
import type { Submission, SubmitAnswer, Unique } from '@retry/core/broker';
import { cancelRuns, discardRuns, endRuns, redriveRuns } from '@retry/core/broker/kit';
import { assertSame } from '../broker-agrees.ts';
import type { Steps } from './scene.ts';
import { complete, fail, retry, tell } from './scene.ts';

/** A key until the start is free when its run is claimed, at its first start and at a later one. */
export const freeKeyAtStart = tell(async (steps) => {
  const { claim, settle } = steps;
  assertSame(await submitUnique(steps, '{u}1', { until: 'started' }), 'created');
  assertSame(await submitUnique(steps, '{u}2', { until: 'started' }), { type: 'kept', id: '{u}1' });
  const [first] = await claim();
  assertSame(await submitUnique(steps, '{u}3', { until: 'started', delayMs: 1_000 }), 'created');
  if (first !== undefined) await settle(retry(first.run));
  assertSame(await submitUnique(steps, '{u}4', { until: 'ended' }), { type: 'kept', id: '{u}3' });
  // A run that waits for its second start has lost its key.
  assertSame(await submitUnique(steps, '{v}1', { until: 'started' }), 'created');
  for (const { run } of await claim()) await settle(retry(run));
  assertSame(await submitUnique(steps, '{v}2', { until: 'started' }), 'created');
});

/** A key until the end is kept while its run is retried, and free when that has ended, however it ends. */
export const freeKeyAtEnd = tell(async (steps) => {
  const { claim, settle, broker } = steps;
  assertSame(await submitUnique(steps, '{u}1', { until: 'ended' }), 'created');
  for (const next of [retry, retry, complete]) {
    assertSame(await submitUnique(steps, '{u}2', { until: 'ended' }), { type: 'kept', id: '{u}1' });
    for (const { run } of await claim()) await settle(next(run));
  }
  assertSame(await submitUnique(steps, '{u}3', { until: 'ended' }), 'created');
  await cancelRuns(broker, ['{u}3']);
  assertSame(await submitUnique(steps, '{u}4', { until: 'ended' }), 'created');
  await endRuns(broker, [{ id: '{u}4', as: 'completed', result: '1' }]);
  assertSame(await submitUnique(steps, '{u}5', { until: 'started' }), 'created');
  await cancelRuns(broker, ['{u}5']);
  assertSame(await submitUnique(steps, '{u}6', { until: 'started' }), 'created');
  for (const { run } of await claim()) await settle(fail(run));
  assertSame(await submitUnique(steps, '{u}7', { until: 'ended' }), 'created');
});

/** A key for a time is kept for that time, whatever becomes of its run, and no longer. */
export const freeKeyInTime = tell(async (steps) => {
  const { broker, advance } = steps;
  assertSame(await submitUnique(steps, '{u}1', { until: 100 }), 'created');
  await cancelRuns(broker, ['{u}1']);
  await discardRuns(broker, ['{u}1']);
  await advance(99);
  assertSame(await submitUnique(steps, '{u}2', { until: 100 }), { type: 'kept', id: '{u}1' });
  await advance(1);
  assertSame(await submitUnique(steps, '{u}3', { until: 100 }), 'created');
});

/** A redrive does not give a key back. */
export const redriveWithoutKey = tell(async (steps) => {
  const { claim, settle, broker } = steps;
  assertSame(await submitUnique(steps, '{u}1', { until: 'ended' }), 'created');
  for (const { run } of await claim()) await settle(fail(run));
  await redriveRuns(broker, ['{u}1']);
  assertSame(await submitUnique(steps, '{u}2', { until: 'ended' }), 'created');
});

/** A replacement takes the key: the run that waited is cancelled, one that is started goes on. */
export const replaceByKey = tell(async (steps) => {
  const { claimIds, broker, advance } = steps;
  const replace = { until: 'ended', onConflict: 'replace' } as const;
  assertSame(await submitUnique(steps, '{u}1', { until: 'ended' }), 'created');
  assertSame(await submitUnique(steps, '{u}2', replace), { type: 'replaced', id: '{u}1' });
  assertSame(await submitUnique(steps, '{u}2', replace), 'exists');
  assertSame(await submitUnique(steps, '{u}3', { ...replace, delayMs: 100 }), {
    type: 'replaced',
    id: '{u}2',
  });
  assertSame(await submitUnique(steps, '{u}4', { until: 'ended' }), { type: 'kept', id: '{u}3' });
  await broker.list({ state: 'submitted', limit: 9 });
  await advance(100);
  assertSame(await claimIds(), ['{u}3']);
  assertSame(await submitUnique(steps, '{u}5', replace), 'created');
  assertSame(await submitUnique(steps, '{u}6', { until: 'ended' }), { type: 'kept', id: '{u}5' });
  assertSame(await claimIds(), ['{u}5']);
});

/** Several unique submissions in one call follow one another. */
export const submitUniquesTogether = tell(async ({ broker, claimIds }) => {
  const one = (id: string, unique: Partial<Unique> = {}): Submission => ({
    ...{ id, lane: 'l', payload: '{}' },
    unique: { key: 'u', until: 'ended', onConflict: 'keep', ...unique },
  });
  const answers = await broker.submit([
    { id: 'plain', lane: 'l', payload: '{}' },
    one('{u}1'),
    one('{u}2'),
    one('{u}3', { onConflict: 'replace' }),
    one('{u}1'),
    one('{u}4', { onConflict: 'replace' }),
    { id: 'plain', lane: 'l', payload: '{}' },
  ]);

  assertSame(answers, [
    'created',
    'created',
    { type: 'kept', id: '{u}1' },
    { type: 'replaced', id: '{u}1' },
    'exists',
    { type: 'replaced', id: '{u}3' },
    'exists',
  ]);
  assertSame(await claimIds(), ['plain', '{u}4']);
});

/** Submits one run to lane `l`, whose id begins with its key. */
async function submitUnique(
  { broker }: Steps,
  id: string,
  { until, onConflict = 'keep', ...rest }: Partial<Unique> & Partial<Submission>,
): Promise<SubmitAnswer | undefined> {
  const unique = { key: id.slice(1, id.indexOf('}')), until: until ?? 'ended', onConflict };
  return (await broker.submit([{ id, lane: 'l', payload: '{}', ...rest, unique }]))[0];
}
