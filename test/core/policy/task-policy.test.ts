import { definePolicy, TASK_POLICY } from '@retry/core';
import { describe, expect, it } from 'vitest';

describe('TASK_POLICY', () => {
  it('is 10 attempts from 1 s, doubling up to 10 minutes, and follows a server for up to a day', () => {
    expect(definePolicy(TASK_POLICY)).toMatchObject({
      maxAttempts: 10,
      backoff: { type: 'exponential', baseMs: 1_000, factor: 2 },
      jitter: 'full',
      maxDelayMs: 600_000,
      retryAfter: { maxMs: 86_400_000, mode: 'floor' },
    });
  });

  it('is deeply frozen', () => {
    expect(Object.isFrozen(TASK_POLICY)).toBe(true);
    expect(Object.isFrozen(TASK_POLICY.backoff)).toBe(true);
    expect(Object.isFrozen(TASK_POLICY.retryAfter)).toBe(true);
  });
});
