import type { VirtualClock } from '@retry/core/testing';
import { createVirtualClock } from '@retry/core/testing';

/** A claim, its handler and its settlement take a few turns of the event loop; this is plenty. */
const TURNS = 20;

/**
 * A clock for worker, queue and memory broker alike: `await clock.advance('2h')` lets two hours of retries
 * happen at once, in order. Handlers may await whatever needs no real time.
 */
export function createTestClock(startAt = 0): VirtualClock {
  return createVirtualClock({ startAt, settle });
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
