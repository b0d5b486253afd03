import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  drawExponential,
  drawNormal,
  drawsOf,
  naturalLog,
} from '../../../packages/core/src/simulate/run/draws.ts';
import { createEventQueue } from '../../../packages/core/src/simulate/run/event-queue.ts';

function momentsOf(draw: () => number): { readonly mean: number; readonly deviation: number } {
  const drawn = Array.from({ length: 20_000 }, draw);
  const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
  const square = drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / drawn.length;
  return { mean, deviation: Math.sqrt(square) };
}

describe('naturalLog', () => {
  it('agrees with Math.log', () => {
    fc.assert(
      fc.property(fc.double({ min: 2 ** -60, max: 1, noNaN: true }), (value) => {
        expect(Math.abs(naturalLog(value) - Math.log(value))).toBeLessThanOrEqual(1e-13);
      }),
    );
  });
});

describe('drawsOf', () => {
  it('draws the same numbers from the same seed: these', () => {
    const { traffic, policy } = drawsOf(42, 0);

    expect([traffic(), traffic(), policy()]).toEqual([
      0.9220983108971268, 0.3602520162239671, 0.7988180958200246,
    ]);
  });

  it('draws numbers in [0, 1), other ones for each seed, run and source', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.nat(), (seed, run) => {
        const { traffic, network, server, policy } = drawsOf(seed, run);
        const drawn = [traffic(), network(), server(), policy(), drawsOf(seed, run + 1).traffic()];

        expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true);
        expect(new Set(drawn).size).toBe(drawn.length);
      }),
    );
  });
});

describe('draws', () => {
  it('have the mean and the deviation that were asked for', () => {
    const { network } = drawsOf(1, 0);

    const normal = momentsOf(() => drawNormal(10, 2, network));
    const exponential = momentsOf(() => drawExponential(5, network));

    expect(normal.mean).toBeCloseTo(10, 0);
    expect(normal.deviation).toBeCloseTo(2, 0);
    expect(exponential.mean).toBeCloseTo(5, 0);
    expect(exponential.deviation).toBeCloseTo(5, 0);
  });
});

describe('an event queue', () => {
  it('runs events in the order of their instants, those of one instant in the order in which they were added', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 20 })), (delays) => {
        const queue = createEventQueue();
        const ran: [number, number][] = [];
        for (const [index, delayMs] of delays.entries())
          queue.after(delayMs, () => ran.push([queue.now(), index]));

        queue.runUntil(15);

        const due = delays
          .map((delayMs, index): [number, number] => [delayMs, index])
          .filter(([at]) => at <= 15);
        expect(ran).toEqual([...due].sort((one, other) => one[0] - other[0] || one[1] - other[1]));
      }),
    );
  });
});
