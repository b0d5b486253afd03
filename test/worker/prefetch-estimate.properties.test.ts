import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PrefetchEstimate } from '../../packages/worker/src/engine/plan/prefetch.ts';

/** What an estimate may be given, `afterMs` after the step before. */
type Step = { readonly afterMs: number } & (
  | { readonly type: 'end'; readonly durationMs: number }
  | { readonly type: 'claim'; readonly isShort: boolean; readonly meanBytes: number }
  | { readonly type: 'given-back'; readonly ageMs: number }
  | { readonly type: 'trip'; readonly tripMs: number }
);

const afterMs = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 50, noNaN: true }));
const durationMs = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 5_000, noNaN: true }));
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('end' as const), afterMs, durationMs }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('claim' as const),
      afterMs,
      isShort: fc.boolean(),
      meanBytes: fc.integer({ min: 0, max: 1_048_576 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('given-back' as const),
      afterMs,
      ageMs: fc.double({ min: 100, max: 500, noNaN: true }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('trip' as const),
      afterMs,
      tripMs: fc.double({ min: 0, max: 500, noNaN: true }),
    }),
  },
);
const anyPrefetch = fc.oneof(fc.constant('auto' as const), fc.integer({ min: 0, max: 2_000 }));
const anyOptions = fc.record({
  concurrency: fc.integer({ min: 1, max: 200 }),
  prefetch: anyPrefetch,
  settleMs: fc.integer({ min: 0, max: 100 }),
});
const anySteps = fc.array(anyStep, { maxLength: 60 });

type All = ConstructorParameters<typeof PrefetchEstimate>[0];
type Options = Omit<All, 'settleMs'> & Partial<All>;

/** Takes the steps; returns the estimate and the instant after them. */
function stepped(options: Options, steps: readonly Step[]) {
  const estimate = new PrefetchEstimate({ settleMs: 2, ...options });
  let now = 0;
  for (const step of steps) {
    now += step.afterMs;
    if (step.type === 'end') estimate.noteEnd(step.durationMs);
    else if (step.type === 'claim') estimate.noteClaim(step);
    else if (step.type === 'trip') estimate.noteTrip(step.tripMs);
    else estimate.noteGivenBack(step.ageMs);
    estimate.count(now); // the worker asks again and again
  }
  return { estimate, now };
}

const FULL = { isShort: false, meanBytes: 50 };
const SHORT = { isShort: true, meanBytes: 50 };

/** As many runs of this length, one after another in each slot, as take a second. */
function secondOf(runMs: number, concurrency: number): readonly Step[] {
  const afterEachMs = runMs / concurrency;
  return Array.from({ length: Math.ceil(1_000 / afterEachMs) }, () => ({
    type: 'end',
    afterMs: afterEachMs,
    durationMs: runMs,
  }));
}

describe('PrefetchEstimate', () => {
  it('never exceeds the number that was given, nor 1 000 without one', () => {
    fc.assert(
      fc.property(anyOptions, anySteps, (options, steps) => {
        const { estimate, now } = stepped(options, steps);

        const count = estimate.count(now);

        expect(Number.isInteger(count)).toBe(true);
        expect(count).toBeGreaterThanOrEqual(0);
        expect(count).toBeLessThanOrEqual(options.prefetch === 'auto' ? 1_000 : options.prefetch);
      }),
    );
  });

  it('is 0 while no run has ended', () => {
    fc.assert(
      fc.property(anyOptions, anySteps, (options, steps) => {
        const { estimate, now } = stepped(
          options,
          steps.filter(({ type }) => type !== 'end'),
        );

        expect(estimate.count(now)).toBe(0);
      }),
    );
  });

  it('is 0 after a claim that came back short, whatever ends, until one does not', () => {
    fc.assert(
      fc.property(anyOptions, anySteps, anySteps, (options, before, then) => {
        const { estimate, now } = stepped(options, before);
        estimate.noteClaim(SHORT);
        for (const step of then) if (step.type === 'end') estimate.noteEnd(step.durationMs);

        expect(estimate.count(now)).toBe(0);
      }),
    );
  });

  it('is 0 after runs were given back, until a run has ended', () => {
    fc.assert(
      fc.property(anyOptions, anySteps, afterMs, (options, steps, laterMs) => {
        const { estimate, now } = stepped(options, steps);
        estimate.noteGivenBack(100);
        estimate.noteClaim(FULL);

        expect(estimate.count(now + laterMs)).toBe(0);
      }),
    );
  });

  it('claims at most 8 MiB of payloads in advance', () => {
    fc.assert(
      fc.property(anyOptions, anySteps, fc.integer({ min: 1, max: 2 ** 23 }), (options, steps, meanBytes) => {
        const { estimate, now } = stepped(options, steps);
        estimate.noteClaim({ isShort: false, meanBytes });

        expect(estimate.count(now) * meanBytes).toBeLessThanOrEqual(2 ** 23);
      }),
    );
  });

  it.each([
    // runMs, concurrency, runs that start within 10 ms
    [5, 10, 20],
    [5, 1, 2],
    [20, 100, 50],
    [0.1, 10, 1_000],
    [200, 10, 0],
    [1_000, 50, 0],
  ])('is what starts within 10 ms: handlers of %s ms, concurrency %s', (runMs, concurrency, expected) => {
    const { estimate, now } = stepped({ concurrency, prefetch: 'auto' }, secondOf(runMs, concurrency));

    expect(Math.abs(estimate.count(now) - expected)).toBeLessThanOrEqual(1);
  });

  it.each([
    // runMs, tripMs, runs that start meanwhile
    [5, 1, 20],
    [5, 4, 28],
    [5, 6, 40],
    [5, 500, 50],
    [9, 500, 28],
    [11, 500, 9],
    [200, 500, 0],
  ])(
    'is what starts within three round trips, at most 25 ms, of short handlers: of %s ms, trips of %s ms',
    (runMs, tripMs, expected) => {
      const trips = Array.from({ length: 50 }, (): Step => ({ type: 'trip', afterMs: 0, tripMs }));
      const steps = [...trips, ...secondOf(runMs, 10)];
      const { estimate, now } = stepped({ concurrency: 10, prefetch: 'auto' }, steps);

      expect(Math.abs(estimate.count(now) - expected)).toBeLessThanOrEqual(1);
    },
  );

  it('is what starts within 50 ms, up to the number that was given', () => {
    const steps = secondOf(5, 10);

    expect(stepped({ concurrency: 10, prefetch: 60 }, steps).estimate.count(1_000)).toBe(60);
    expect(stepped({ concurrency: 10, prefetch: 600 }, steps).estimate.count(1_000)).toBe(100);
  });

  it('is at most twice what really ends within 10 ms, when the mean is too small', () => {
    // Ten handlers of 1 ms at a time, whose ends the event loop sees late: 2 a ms instead of 10.
    const steps = Array.from({ length: 2_000 }, (): Step => ({ type: 'end', afterMs: 0.5, durationMs: 0.2 }));

    const { estimate, now } = stepped({ concurrency: 10, prefetch: 'auto' }, steps);

    expect(estimate.count(now)).toBeGreaterThan(30);
    expect(estimate.count(now)).toBeLessThanOrEqual(41);
  });

  it('falls to 0 when no run ends any more', () => {
    const { estimate, now } = stepped({ concurrency: 1, prefetch: 'auto' }, secondOf(0.1, 1));

    expect(estimate.count(now)).toBeGreaterThan(50);
    for (const laterMs of [20, 40]) estimate.count(now + laterMs);
    expect(estimate.count(now + 60)).toBe(0);
  });
});
