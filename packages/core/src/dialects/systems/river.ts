import { executions, where } from '../option.ts';
import { defineSystem, type System } from '../system.ts';

/** River: its default retry policy. */
export const river: System = /* @__PURE__ */ defineSystem({
  name: 'river',
  title: 'River',
  version: 'fdf6cdf (2026-08-07)',
  fidelity: 'exact',
  options: { MaxAttempts: where(0, 25, executions(25, 'all executions; 0 is the default, too')) },
  policy: ({ MaxAttempts }) => ({
    maxAttempts: MaxAttempts,
    backoff: { type: 'polynomial', base: 1_000, exponent: 4 },
    jitter: { proportional: 0.1 },
  }),
});
