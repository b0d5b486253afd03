import { formatDuration, InvalidOptionsError, parseDuration } from '@retry/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durations } from '../support/arbitraries.ts';

describe('parseDuration', () => {
  it('returns a number ≥ 0 or throws an InvalidOptionsError, whatever the value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string(), fc.double(), durations), (value) => {
        expect(givesNumberOrRefuses(() => parseDuration(value))).toBe(true);
      }),
    );
  });

  it('changes nothing when it reads its own answer', () => {
    fc.assert(
      fc.property(durations, (written) => {
        const ms = parseDuration(written);

        expect(parseDuration(ms)).toBe(ms);
      }),
    );
  });

  it('reads what formatDuration writes, to within the two decimals that it keeps', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e12 }), (ms) => {
        const read = parseDuration(formatDuration(ms));

        expect(Math.abs(read - ms)).toBeLessThanOrEqual(ms * 0.006);
      }),
    );
  });
});

function givesNumberOrRefuses(parse: () => number): boolean {
  try {
    return parse() >= 0;
  } catch (error) {
    return error instanceof InvalidOptionsError;
  }
}
