import type { VirtualClock } from '@retry/core/testing';
import { createVirtualClock } from '@retry/core/testing';
import { soon } from '../soon.ts';

/** What one timer sets off takes a few turns of the event loop; this is plenty. */
const TURNS = 10;

/** A clock that stands still until told to move: `await clock.advance('2h')` lets two hours of retries happen. */
export function createTestClock(startAt = 0): VirtualClock {
  return createVirtualClock({ startAt, settle });
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise<void>((resolve) => void soon(resolve));
}
