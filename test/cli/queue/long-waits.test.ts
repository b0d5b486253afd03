import { createMemoryBroker } from '@retry/inprocess/broker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { run } from '../run-in-memory.ts';

// Of a timer that is longer than 24 days Node makes 1 ms.
describe('a wait of a month', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is no end of what doctor watches', async () => {
    let hasEnded = false;
    void run(['doctor', '--watch', '30d'], { broker: createMemoryBroker() }).finally(() => {
      hasEnded = true;
    });

    await vi.advanceTimersByTimeAsync(60_000);

    expect(hasEnded).toBe(false);
  });
});
