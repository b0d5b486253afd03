import { createClock } from '@retry/core/clock';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const LONGEST_MS = 2 ** 31 - 1;
const anyDelayMs = fc.oneof(fc.double({ min: -1e5, max: 1e11, noNaN: true }), fc.constantFrom(-2.5, 0, 0.5));

describe('createClock', () => {
  it('gives timers of the runtime whole delays from 0 to their limit, which sum up to what was asked', () => {
    fc.assert(
      fc.property(anyDelayMs, (delayMs) => {
        const given: number[] = [];
        const due: (() => void)[] = [];
        const set = (callback: () => void, ms: number): number => {
          due.push(callback);
          return given.push(ms);
        };
        let calls = 0;

        createClock({ now: () => 0, set, clear: () => {} }).setTimer(() => (calls += 1), delayMs);
        for (let next = due.shift(); next !== undefined; next = due.shift()) next();

        expect(calls).toBe(1);
        for (const ms of given) expect(Number.isInteger(ms) && ms >= 0 && ms <= LONGEST_MS).toBe(true);
        expect(given.reduce((sum, ms) => sum + ms, 0)).toBe(Math.max(Math.ceil(delayMs), 0));
      }),
    );
  });
});
