import type { VirtualClock } from '@retry/core/testing';
import { createVirtualClock } from '@retry/core/testing';

/** Turns of the event loop after each timer: a claim, its handler and its settlement need only a few. */
const TURNS = 20;

/**
 * Creates a virtual clock for worker, queue and memory broker: `await clock.advance('2h')` runs two hours of retries
 * immediately, in order. Handlers may await anything that needs no real time. No virtual time on a server's clock: Redis and
 * Postgres brokers keep real time.
 */
export function createTestClock(startAt = 0): VirtualClock {
  return createVirtualClock({ startAt, settle });
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
