/** Scenes of holds: which lanes they close, how long, and what a claim says of them. */
import { assertSame } from '../broker-agrees.ts';
import type { Steps } from './scene.ts';
import { release, tell } from './scene.ts';

/** A hold closes its lane and no other; one of all lanes closes each. It ends by itself, or is resumed. */
export const holdLanes = tell(async ({ submit, claimIds, advance, broker }) => {
  const lanes = ['l', 'm'];
  const one = { limit: 1, lanes };
  await submit(
    ...lanes.flatMap((lane) => ['1', '2', '3', '4', '5'].map((id) => ({ id: `${lane}${id}`, lane }))),
  );
  await broker.hold([{ lane: 'l', source: 'operator', forMs: 100 }]);
  assertSame(await claimIds(one), ['m1']);
  await advance(100);
  assertSame(await claimIds(one), ['l1']);
  await broker.hold([{ source: 'operator' }]);
  assertSame(await claimIds(one), []);
  await advance(10_000_000);
  assertSame(await claimIds({ lanes: ['m', 'l'] }), []);
  await broker.resume([{ lane: 'l' }]);
  assertSame(await claimIds(one), []);
  await broker.resume([{}]);
  assertSame(await claimIds(one), ['l2']);
});

/** Holds of one lane by several sources: it is open when all have ended. One that has ended cannot be resumed. */
export const holdBySeveral = tell(async ({ submit, claimIds, advance, broker }) => {
  await submit('a', 'b', 'c');
  await broker.hold([
    { lane: 'l', source: 'operator' },
    { lane: 'l', source: 'handler', forMs: 100 },
    { lane: 'm', source: 'handler', forMs: 500 },
  ]);
  await broker.resume([{ lane: 'l', source: 'operator' }]);
  assertSame(await claimIds({ limit: 1 }), []);
  await broker.holds();
  await advance(100);
  await broker.resume([{ lane: 'l', source: 'handler' }]);
  assertSame(await claimIds({ limit: 1 }), ['a']);
  await broker.resume([{ lane: 'm' }]);
  await broker.holds();
});

/** A hold replaces the one of its lane and source, unless that ends later and is to be kept. */
export const holdAgain = tell(async ({ broker, advance }) => {
  const hold = { lane: 'l', source: 'operator' } as const;
  for (const [present, next] of [
    [500, 100],
    [100, 500],
    [undefined, 100],
    [100, undefined],
  ] as const) {
    for (const keepLonger of [false, true]) {
      await broker.hold([{ ...hold, ...(present !== undefined && { forMs: present }) }]);
      await advance(1);
      await broker.hold([{ ...hold, keepLonger, ...(next !== undefined && { forMs: next }) }]);
      await broker.holds();
      await broker.resume([hold]);
    }
  }
});

/** A hold that probes lets one run of its lane through at a time, and says which. */
export const holdAndProbe = tell(async (steps) => {
  const { submit, advance, broker } = steps;
  await submit('a', 'b', 'c', { id: 'x', lane: 'm' }, { id: 'y', lane: 'm' });
  await broker.hold([{ lane: 'l', source: 'circuit-breaker', forMs: 100, probeMs: 500 }]);
  assertSame(await probe(steps), ['x', 'y']);
  await advance(100);
  // A probe that finds no run lets the next one through.
  await broker.hold([{ lane: 'm', source: 'circuit-breaker', forMs: 0, probeMs: 500 }]);
  assertSame(await probe(steps, ['m']), []);
  await submit({ id: 'z', lane: 'm' });
  assertSame(await probe(steps), ['a?', 'z?']);
  assertSame(await probe(steps), []);
  await advance(499);
  assertSame(await probe(steps), []);
  await advance(1);
  assertSame(await probe(steps), ['b?']);
  await broker.holds();
  await broker.resume([{ lane: 'l' }]);
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
    return (await broker.settleAndClaim({ claim: request })).nextRunAt;
  };
  const hold = { lane: 'l', source: 'operator' } as const;
  await broker.hold([{ ...hold, forMs: 500 }]);
  assertSame(await nextRunAt(), undefined);
  await submit({ id: 'later', delayMs: 900 });
  assertSame(await nextRunAt(), at + 900);
  await submit({ id: 'soon', delayMs: 100 });
  assertSame(await nextRunAt(), at + 500);
  await broker.resume([hold]);
  await submit('a');
  for (const { run } of await claim({ limit: 1 })) await settle(release(run));
  await broker.hold([{ ...hold, forMs: 500 }]);
  assertSame(await nextRunAt(), at + 500);
  await broker.hold([hold]);
  assertSame(await nextRunAt(), undefined);
  await broker.resume([hold]);
  await broker.hold([{ ...hold, forMs: 500, probeMs: 200 }]);
  await advance(500);
  assertSame(await nextRunAt(), at + 700);
});

/** The ids that a claim of both lanes gets; those that probe end with `?`. */
async function probe({ claim }: Steps, lanes: readonly string[] = ['l', 'm']): Promise<readonly string[]> {
  const claimed = await claim({ lanes });
  return claimed.map(({ run, isProbe }) => `${run.id}${isProbe === true ? '?' : ''}`);
}
