import type { VirtualClock } from '@retry/core/testing';
import { createVirtualClock } from '@retry/core/testing';
import { nextTurn } from '../time/clock.ts';

/** The promises that one timer resolves need a few turns of the event loop. */
const TURNS = 10;

/** Creates a clock that moves by `advance` only: `await clock.advance('2h')` runs two hours of retries. */
export function createTestClock(startAt = 0): VirtualClock {
  return createVirtualClock({ startAt, settle });
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise<void>((resolve) => void nextTurn(resolve));
}
