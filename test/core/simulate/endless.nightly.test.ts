import { definePolicy, isRetryError } from '@retry/core';
import { simulate } from '@retry/core/simulate';
import { describe, expect, it } from 'vitest';

const AT_ONCE = definePolicy({ maxAttempts: 3, backoff: { type: 'none' } });

describe('simulate', { timeout: 300_000 }, () => {
  // It makes thirty million events.
  it('ends a run whose clients call what a circuit breaker refuses, at once and without end', () => {
    const world = {
      server: { type: 'capacity', perSecond: 'Infinity' },
      errorShare: 1,
      duration: '20s',
      traffic: { type: 'closed', clients: 3 },
      circuitBreaker: { minimumThroughput: 10 },
    } as const;

    expect(() => simulate(AT_ONCE, world)).toThrow(
      expect.toSatisfy((error: unknown) => isRetryError(error, 'SIMULATION_TOO_LARGE')),
    );
  });
});
