import type { Reserved } from '@retry/core/broker';
import type { StartCounts } from '@retry/core/broker/kit';
import { correctStarts, forgetStartsAt, reserveStarts } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** Starts that were granted at one instant. */
interface Grant {
  readonly at: number;
  readonly granted: number;
}

/** One reservation, `stepMs` after the one before; less than 0: the clock went back. */
interface Step {
  readonly stepMs: number;
  readonly count: number;
}

const DAY_MS = 86_400_000;

const windows = fc.oneof(
  fc.integer({ min: 1, max: 70 }),
  fc.integer({ min: 71, max: 5_000 }),
  fc.constantFrom(60_000, 3_600_000, DAY_MS, 366 * DAY_MS),
);

const limits = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(100, 1_000_000_000));

/** Steps as parts of a window. Those back go no further than a window below the latest instant. */
function stepsOf(windowMs: number, leastStep: number): fc.Arbitrary<readonly Step[]> {
  const parts = fc.oneof(
    fc.constant(0),
    fc.double({ min: 0, max: 0.1, noNaN: true }),
    fc.double({ min: leastStep, max: 1.2, noNaN: true }),
    fc.constantFrom(1, 1 / 32, 33 / 32),
  );
  const stepMs = parts.chain((part) =>
    fc.integer({ min: -1, max: 1 }).map((ms) => {
      const whole = Math.round(part * windowMs) + ms;
      return leastStep < 0 ? whole : Math.max(0, whole);
    }),
  );
  const count = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom(50, 1_000_000_000));
  return fc.array(fc.record({ stepMs, count }), { minLength: 1, maxLength: 120 });
}

const settings = (leastStep: number) =>
  fc
    .record({ windowMs: windows, limit: limits, startAt: fc.constantFrom(0, 1_000_003, 1.7e12) })
    .chain((one) => stepsOf(one.windowMs, leastStep).map((steps) => ({ ...one, steps })));

interface Play {
  readonly windowMs: number;
  readonly limit: number;
  readonly startAt: number;
  readonly steps: readonly Step[];
}

interface Answer {
  readonly at: number;
  readonly count: number;
  readonly reserved: Reserved;
  readonly before: StartCounts | undefined;
}

/** Makes the reservations one after the other. */
function play({ windowMs, limit, startAt, steps }: Play): readonly Answer[] {
  let counts: StartCounts | undefined;
  let now = startAt;
  let latest = now;
  return steps.map(({ stepMs, count }) => {
    now = Math.max(now + stepMs, latest - windowMs);
    latest = Math.max(latest, now);
    const before = counts;
    const answer = reserveStarts(before, { windowMs, limit, count }, now);
    counts = answer.counts;
    return { at: now, count, reserved: answer.reserved, before };
  });
}

function grantsOf(answers: readonly Answer[]): readonly Grant[] {
  return answers.map(({ at, reserved: { granted } }) => ({ at, granted }));
}

/** The most starts of any window `[t, t + windowMs)`: one that begins with a grant has as many as any. */
function mostInAnyWindow(grants: readonly Grant[], windowMs: number): number {
  return Math.max(...grants.map(({ at }) => startsIn(grants, at, at + windowMs)));
}

function startsIn(grants: readonly Grant[], from: number, to: number): number {
  return grants.filter(({ at }) => at >= from && at < to).reduce((sum, { granted }) => sum + granted, 0);
}

describe('reserveStarts', () => {
  it('grants no more than the limit in any window, also when the clock goes back by up to a window', () => {
    fc.assert(
      fc.property(settings(-1), (one) => {
        const grants = grantsOf(play(one));

        expect(mostInAnyWindow(grants, one.windowMs)).toBeLessThanOrEqual(one.limit);
      }),
    );
  });

  it('grants every start for which there is room in the window and one bucket before it', () => {
    fc.assert(
      fc.property(settings(0), (one) => {
        const bucketMs = Math.max(1, Math.ceil(one.windowMs / 32));
        const answers = play(one);
        const grants = grantsOf(answers);

        answers.forEach(({ at, count, reserved }, index) => {
          const near = startsIn(grants.slice(0, index), at - one.windowMs - bucketMs + 2, Infinity);
          const exact = startsIn(grants.slice(0, index), at - one.windowMs + 1, Infinity);
          expect(reserved.granted).toBeGreaterThanOrEqual(Math.min(count, one.limit - near));
          expect(reserved.granted).toBeLessThanOrEqual(Math.min(count, one.limit - exact));
        });
      }),
    );
  });

  it('says when the least number of use can be granted: at that instant, and not a millisecond earlier', () => {
    fc.assert(
      fc.property(settings(-1), fc.constantFrom(1, 1, 2, 5), (one, part) => {
        for (const { at, count, before } of play(one)) {
          const least = Math.min(part, count, one.limit);
          const { counts, reserved } = reserveStarts(before, { ...one, count, least }, at);
          expect(reserved.availableAt === undefined).toBe(reserved.granted === count);
          if (reserved.availableAt === undefined) continue;
          const ask = (now: number): number =>
            Math.min(1, reserveStarts(counts, { ...one, count: least, least }, now).reserved.granted);
          expect(reserved.availableAt).toBeGreaterThan(at);
          expect([ask(reserved.availableAt - 1), ask(reserved.availableAt)]).toEqual([0, 1]);
        }
      }),
    );
  });

  it('keeps at most 34 buckets, oldest first', () => {
    fc.assert(
      fc.property(settings(-1), (one) => {
        for (const { before } of play(one)) {
          const buckets = (before?.buckets ?? []).map(([bucket]) => bucket);
          expect(buckets.length).toBeLessThanOrEqual(34);
          expect(buckets).toEqual([...buckets].sort((left, right) => left - right));
        }
      }),
    );
  });

  it('grants no more than the larger limit in any window of the shorter length when both change', () => {
    const numbers = fc.record({ windowMs: windows, limit: limits });
    const plays = fc
      .tuple(numbers, numbers)
      .chain((both) =>
        fc.tuple(
          fc.constant(both),
          stepsOf(Math.min(both[0].windowMs, both[1].windowMs), -0.5),
          fc.infiniteStream(fc.nat({ max: 1 })),
        ),
      );
    fc.assert(
      fc.property(plays, ([both, steps, choices]) => {
        let counts: StartCounts | undefined;
        let now = 1.7e12;
        let latest = now;
        const shorter = Math.min(both[0].windowMs, both[1].windowMs);
        const grants = steps.map(({ stepMs, count }) => {
          now = Math.max(now + stepMs, latest - shorter);
          latest = Math.max(latest, now);
          const chosen = both[choices.next().value ?? 0] ?? both[0];
          const answer = reserveStarts(counts, { ...chosen, count }, now);
          counts = answer.counts;
          return { at: now, granted: answer.reserved.granted };
        });

        const larger = Math.max(both[0].limit, both[1].limit);
        expect(mostInAnyWindow(grants, shorter)).toBeLessThanOrEqual(larger);
      }),
    );
  });

  describe('asked by several windows of one key at a time', () => {
    /** Numbers of up to four different windows, steps whose size is a part of one of them, and who asks at each step. */
    const plays = fc
      .uniqueArray(fc.record({ windowMs: windows, limit: limits }), {
        ...{ minLength: 2, maxLength: 4, selector: ({ windowMs }) => windowMs },
      })
      .chain((all) =>
        fc.tuple(
          fc.constant(all),
          fc.constantFrom(...all).chain(({ windowMs }) => stepsOf(windowMs, 0)),
          fc.infiniteStream(fc.nat({ max: all.length - 1 })),
        ),
      );

    interface Asked extends Grant {
      readonly windowMs: number;
      readonly limit: number;
      readonly count: number;
    }

    /** Each window is used once at the beginning, so that no later one is made from the buckets of another. */
    function playAll([all, steps, choices]: typeof plays extends fc.Arbitrary<infer Of> ? Of : never) {
      let counts: StartCounts | undefined;
      let now = 1.7e12;
      const ask = (windowMs: number, limit: number, count: number): Asked => {
        const answer = reserveStarts(counts, { windowMs, limit, count }, now);
        counts = answer.counts;
        return { windowMs, limit, count, at: now, granted: answer.reserved.granted };
      };
      const first = all.map(({ windowMs }) => ask(windowMs, 1_000_000_000, 1));
      const later = steps.map(({ stepMs, count }) => {
        now += stepMs;
        const { windowMs, limit } = all[choices.next().value ?? 0] ?? { windowMs: 1, limit: 1 };
        return ask(windowMs, limit, count);
      });
      return { grants: [...first, ...later], from: first.length };
    }

    it('grants nothing over the limit of who asks, whoever made the starts before', () => {
      fc.assert(
        fc.property(plays, (one) => {
          const { grants, from } = playAll(one);

          grants.slice(from).forEach(({ at, granted, windowMs, limit }, index) => {
            const starts = startsIn(grants.slice(0, from + index + 1), at - windowMs + 1, Infinity);
            if (granted > 0) expect(starts).toBeLessThanOrEqual(limit);
          });
        }),
      );
    });

    it('grants every start for which there is room in the window of who asks and one bucket before it', () => {
      fc.assert(
        fc.property(plays, (one) => {
          const { grants, from } = playAll(one);

          grants.slice(from).forEach(({ at, count, granted, windowMs, limit }, index) => {
            const bucketMs = Math.max(1, Math.ceil(windowMs / 32));
            const near = startsIn(grants.slice(0, from + index), at - windowMs - bucketMs + 2, Infinity);
            expect(granted).toBeGreaterThanOrEqual(Math.min(count, limit - near));
          });
        }),
      );
    });

    it('keeps at most four windows of at most 34 buckets, those that were used last', () => {
      const requests = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.nat({ max: 5_000 })), {
        minLength: 1,
        maxLength: 60,
      });
      fc.assert(
        fc.property(requests, (steps) => {
          let counts: StartCounts | undefined;
          let now = 1.7e12;
          for (const [number, stepMs] of steps) {
            now += stepMs;
            counts = reserveStarts(counts, { windowMs: number * 500, limit: 1_000, count: 1 }, now).counts;
          }
          const kept = counts === undefined ? [] : [counts, ...(counts.others ?? [])];
          const latest = [...new Set(steps.map(([number]) => number * 500).reverse())].slice(0, 4);

          expect(kept.map(({ windowMs }) => windowMs)).toEqual(latest);
          for (const { buckets } of kept) expect(buckets.length).toBeLessThanOrEqual(34);
        }),
      );
    });

    it('counts a start once more, as of then, where the clock is back for one window but not for another', () => {
      const long = { windowMs: 60_000, limit: 3 };
      const short = { windowMs: 10, limit: 3 };
      const first = reserveStarts(undefined, { ...long, count: 1 }, 100_000).counts;
      const back = reserveStarts(first, { ...short, count: 1 }, 50_000);

      expect(back.reserved).toEqual({ granted: 1, grantedAt: 50_000 });
      expect(reserveStarts(back.counts, { ...long, count: 3 }, 99_999).reserved).toEqual({
        ...{ granted: 0, availableAt: 100_000 },
      });
      expect(reserveStarts(back.counts, { ...long, count: 3 }, 100_000).reserved.granted).toBe(1);
    });
  });

  it('begins anew when the clock goes back by more than a window', () => {
    fc.assert(
      fc.property(windows, fc.integer({ min: 1, max: 1e12 }), (windowMs, moreMs) => {
        const { counts } = reserveStarts(undefined, { windowMs, limit: 3, count: 3 }, 1.7e12);

        const { reserved } = reserveStarts(
          counts,
          { windowMs, limit: 3, count: 2 },
          1.7e12 - windowMs - moreMs,
        );

        expect(reserved.granted).toBe(2);
      }),
    );
  });

  it('answers as without what may be forgotten, and still does when the clock goes back by up to a window', () => {
    fc.assert(
      fc.property(
        settings(0),
        fc.nat({ max: 1_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (one, afterMs, back) => {
          const { before } = play({ ...one, steps: [...one.steps, { stepMs: 0, count: 1 }] }).at(-1) ?? {};
          if (before === undefined) return;
          const now = forgetStartsAt(before) + afterMs - Math.floor(back * one.windowMs);
          const request = { ...one, count: 5 };

          expect(reserveStarts(before, request, now).reserved).toEqual(
            reserveStarts(undefined, request, now).reserved,
          );
        },
      ),
    );
  });
});

describe('corrections of starts', () => {
  /** A grant, and what its starts turn out to be some steps later: a part of a window away. */
  const plays = fc.record({ windowMs: windows, limit: fc.integer({ min: 1, max: 40 }) }).chain((numbers) =>
    fc.record({
      numbers: fc.constant(numbers),
      steps: fc.array(
        fc.record({
          part: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 0.7, noNaN: true })),
          count: fc.integer({ min: 1, max: 50 }),
          least: fc.integer({ min: 1, max: 50 }),
          actual: fc.nat({ max: 60 }),
          /** How many steps later they are corrected; 99: never. */
          after: fc.constantFrom(0, 0, 1, 3, 99),
        }),
        { minLength: 1, maxLength: 80 },
      ),
    }),
  );

  interface Start {
    readonly at: number;
    readonly actual: number;
    readonly due: number;
    /** What they count now. */
    counted: number;
  }

  it('leave no window with more than the limit and what was under way, and grant all that is free', () => {
    fc.assert(
      fc.property(plays, ({ numbers: { windowMs, limit }, steps }) => {
        const bucketMs = Math.max(1, Math.ceil(windowMs / 32));
        let counts: StartCounts | undefined;
        let now = 1.7e12;
        const starts: Start[] = [];
        const since = (at: number): number =>
          starts.filter((one) => one.at > at).reduce((sum, { counted }) => sum + counted, 0);
        for (const [index, step] of steps.entries()) {
          now += Math.round(step.part * windowMs);
          for (const start of starts.filter(({ due }) => due === index)) {
            counts = correctStarts(counts, { grantedAt: start.at, count: start.actual - start.counted });
            start.counted = start.actual;
          }
          const least = Math.min(step.least, step.count, limit);
          const [most, sure] = [limit - since(now - windowMs), limit - since(now - windowMs - bucketMs + 1)];
          const answer = reserveStarts(counts, { windowMs, limit, count: step.count, least }, now);
          const { granted } = answer.reserved;
          counts = answer.counts;
          expect(granted === 0 || granted >= least).toBe(true);
          expect(granted).toBeLessThanOrEqual(Math.max(0, most));
          if (sure >= least) expect(granted).toBeGreaterThanOrEqual(Math.min(step.count, sure));
          if (granted === 0) continue;
          expect(answer.reserved.grantedAt).toBe(now);
          starts.push({ at: now, actual: step.actual, due: index + 1 + step.after, counted: granted });
        }
        expect(counts?.buckets.length).toBeLessThanOrEqual(34);
      }),
    );
  });
});
