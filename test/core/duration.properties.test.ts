import { formatDuration, parseDuration } from '@retry/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { durations } from '../support/arbitraries.ts';

describe('parseDuration', () => {
  it('gives nothing or a number ≥ 0, whatever the value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string(), fc.double(), durations), (value) => {
        const ms = parseDuration(value);

        expect(ms === undefined || ms >= 0).toBe(true);
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
        const read = parseDuration(formatDuration(ms)) ?? Number.NaN;

        expect(Math.abs(read - ms)).toBeLessThanOrEqual(ms * 0.006);
      }),
    );
  });
});
