import type { VirtualClock } from '@retry/core/testing';
import { createVirtualClock } from '@retry/core/testing';
import { nextTurn } from '../engine/turns.ts';

/** Turns of the event loop after each timer that causes something: a claim, its handler and its settlement need only a few. */
const TURNS = 20;

/**
 * Creates a virtual clock for worker, queue and memory broker: `await clock.advance('2h')` runs two hours of retries
 * immediately, in order. Handlers may await anything that needs no real time. No virtual time on a server's clock: Redis and
 * Postgres brokers keep real time.
 */
export function createTestClock(startAt = 0): VirtualClock {
  return createVirtualClock({ startAt, settle });
}

async function settle(isAtRest: () => boolean): Promise<void> {
  let turns = 0;
  do {
    await nextTurn();
    turns += 1;
  } while (!isAtRest() && turns < TURNS);
}
