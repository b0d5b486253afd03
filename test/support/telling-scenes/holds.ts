/** Scenes of holds: which lanes they close, how long, and what a claim says of them. */

import { holdLanes, listHolds, resumeLanes } from '@retry/core/broker/kit';
import { assertSame } from '../broker-agrees.ts';
import type { Steps } from './scene.ts';
import { release, tell } from './scene.ts';

/** A hold closes its lane and no other; one of all lanes closes each. It ends by itself, or is resumed. */
export const closeLanes = tell(async ({ submit, claimIds, advance, broker }) => {
  const lanes = ['l', 'm'];
  const one = { limit: 1, lanes };
  await submit(
    ...lanes.flatMap((lane) => ['1', '2', '3', '4', '5'].map((id) => ({ id: `${lane}${id}`, lane }))),
  );
  await holdLanes(broker, [{ lane: 'l', source: 'operator', forMs: 100 }]);
  assertSame(await claimIds(one), ['m1']);
  assertSame(await claimIds({ limit: 1, lanes: ['l'] }), []);
  await advance(100);
  assertSame(await claimIds(one), ['l1']);
  await holdLanes(broker, [{ source: 'operator' }]);
  assertSame(await claimIds(one), []);
  await advance(10_000_000);
  assertSame(await claimIds({ lanes: ['m', 'l'] }), []);
  await resumeLanes(broker, [{ lane: 'l' }]);
  assertSame(await claimIds(one), []);
  await resumeLanes(broker, [{}]);
  assertSame(await claimIds(one), ['l2']);
});

/** A hold that probes lets one run of its lane through at a time, and says which. */
export const holdAndProbe = tell(async (steps) => {
  const { submit, advance, broker } = steps;
  await submit('a', 'b', 'c', { id: 'x', lane: 'm' }, { id: 'y', lane: 'm' });
  await holdLanes(broker, [{ lane: 'l', source: 'circuit-breaker', forMs: 100, probeMs: 500 }]);
  assertSame(await probe(steps), ['x', 'y']);
  await advance(100);
  // A probe that finds no run lets the next one through.
  await holdLanes(broker, [{ lane: 'm', source: 'circuit-breaker', forMs: 0, probeMs: 500 }]);
  assertSame(await probe(steps, ['m']), []);
  await submit({ id: 'z', lane: 'm' });
  assertSame(await probe(steps), ['a?', 'z?']);
  assertSame(await probe(steps), []);
  await advance(499);
  assertSame(await probe(steps), []);
  await advance(1);
  assertSame(await probe(steps), ['b?']);
  await listHolds(broker);
  await resumeLanes(broker, [{ lane: 'l' }]);
  assertSame(await probe(steps), ['c']);
});

/** A lane on hold has work when its hold ends, or later, when its next run is due; the claim says when. */
export const sayWhenAHoldEnds = tell(async ({ submit, broker, advance, now, claim, settle }) => {
  const at = await now();
  let requests = 0;
  const nextRunAt = async (): Promise<number | undefined> => {
    const lanes = new Map([['l', 9]]);
    requests += 1;
    const request = { worker: 'asks', requestId: `asks ${requests}`, limit: 9, lanes, leaseMs: 60_000 };
    return (await broker.exchange({ claim: request })).nextRunAt;
  };
  const hold = { lane: 'l', source: 'operator' } as const;
  await holdLanes(broker, [{ ...hold, forMs: 500 }]);
  assertSame(await nextRunAt(), undefined);
  await submit({ id: 'later', delayMs: 900 });
  assertSame(await nextRunAt(), at + 900);
  await submit({ id: 'soon', delayMs: 100 });
  assertSame(await nextRunAt(), at + 500);
  await resumeLanes(broker, [hold]);
  await submit('a');
  for (const { run } of await claim({ limit: 1 })) await settle(release(run));
  await holdLanes(broker, [{ ...hold, forMs: 500 }]);
  assertSame(await nextRunAt(), at + 500);
  await holdLanes(broker, [hold]);
  assertSame(await nextRunAt(), undefined);
  await resumeLanes(broker, [hold]);
  await holdLanes(broker, [{ ...hold, forMs: 500, probeMs: 200 }]);
  await advance(500);
  assertSame(await nextRunAt(), at + 700);
});

/** The ids that a claim of both lanes gets; those that probe end with `?`. */
async function probe({ claim }: Steps, lanes: readonly string[] = ['l', 'm']): Promise<readonly string[]> {
  const claimed = await claim({ lanes });
  return claimed.map(({ run, isProbe }) => `${run.id}${isProbe === true ? '?' : ''}`);
}
