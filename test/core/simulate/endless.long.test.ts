import { definePolicy, isRetryError } from '@retry/core';
import type { WorldInput } from '@retry/core/simulate';
import { simulate } from '@retry/core/simulate';
import { describe, expect, it } from 'vitest';
import { runWorld } from '../../../packages/core/src/simulate/run/run-world.ts';
import { defineWorld } from '../../../packages/core/src/simulate/world/define-world.ts';

const UNLIMITED = { type: 'capacity', perSecond: 'Infinity' } as const;

/** Ten calls a second that all fail, for a while. */
const FAILING = {
  traffic: { perSecond: 10 },
  server: UNLIMITED,
  errorShare: 1,
  duration: '20s',
} as const satisfies WorldInput;

describe('simulate', { timeout: 300_000 }, () => {
  it('runs 10 000 clients of 8 attempts each in time that does not grow with their square', () => {
    const world = defineWorld({
      traffic: { type: 'closed', clients: 10_000, calls: 1 },
      server: { type: 'capacity', perSecond: 2_000 },
      errorShare: 1,
    });
    const before = process.cpuUsage();

    const { attempts } = runWorld(definePolicy({ maxAttempts: 8 }), world, { seed: 1, run: 0 });

    const { user, system } = process.cpuUsage(before);
    expect(attempts.reduce((sum, count) => sum + count, 0)).toBe(80_000);
    // 80 000 by 80 000 would be minutes; `npm run bench -- core` prints what it is.
    expect((user + system) / 1e6).toBeLessThan(10);
  });

  // It makes two million attempts.
  it('ends a run that would never end, with an error that says what to do', () => {
    const policy = definePolicy({ maxAttempts: Infinity, backoff: { type: 'none' } });

    expect(() => simulate(policy, FAILING)).toThrow(
      expect.toSatisfy((error: unknown) => isRetryError(error, 'SIMULATION_TOO_LARGE')),
    );
  });

  it('has layers that retry without a delay what the circuit breaker below refuses', () => {
    const policy = definePolicy({ maxAttempts: Infinity, backoff: { type: 'none' } });
    const world = {
      traffic: { perSecond: 400 },
      server: { type: 'concurrency', latency: 1, perRequest: 0 },
      trouble: { type: 'outage', at: '5s', for: '1s' },
      layers: 2,
      circuitBreaker: { failureRatio: 0.95, minimumThroughput: 10, breakDuration: '1s' },
      duration: '8s',
    } as const;

    expect(simulate(policy, world).successShare.median).toBeGreaterThan(0.5);
  });
});
