import type { Clock } from '@retry/core';
import { createClock, runtimeTimers } from '@retry/core/clock';

/** The runtime's own clock. Its timers may take longer than 24 days, of which those of the runtime make 1 ms. */
export const clock: Clock = createClock(runtimeTimers(globalThis));

/** Resolves after this time. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(resolve, ms);
  });
}
