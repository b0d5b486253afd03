import type { Reservation, Reserved, StartCorrection } from '@retry/core/broker';
import { inChunks } from '../driver/chunks.ts';
import type { Database } from '../driver/database.ts';

/** Counts starts against limits, or corrects them, each of which has a row of its own. */
export function reserveStarts(
  database: Database,
  requests: readonly (Reservation | StartCorrection)[],
): Promise<readonly Reserved[]> {
  return inChunks(requests, async (chunk) => {
    const numbers = chunk.map(numbersOf);
    // A correction that has been written and is sent again takes starts away twice.
    const call = numbers.some(isTakingAway) ? database.callOnce : database.call;
    const reply = await call('reserve_starts', {
      keys: chunk.map(({ key }) => key),
      limits: numbers.map(({ limit }) => limit),
      windowsMs: numbers.map(({ windowMs }) => windowMs),
      counts: numbers.map(({ count }) => count),
      leasts: numbers.map(({ least }) => least),
      grantedAts: numbers.map(({ grantedAt }) => grantedAt),
    });
    return JSON.parse(reply ?? '[]') as readonly Reserved[]; // what our own function builds
  });
}

interface Numbers {
  readonly limit: number;
  readonly windowMs: number;
  readonly count: number;
  readonly least: number;
  /** When what a correction gives back was granted; `undefined` for a reservation. */
  readonly grantedAt: number | undefined;
}

function numbersOf(request: Reservation | StartCorrection): Numbers {
  if ('grantedAt' in request) return { ...request, limit: 1, windowMs: 1, least: 1 };
  const { limit, windowMs, count, least = 1 } = request;
  return { limit, windowMs, count, least, grantedAt: undefined };
}

function isTakingAway({ count }: Numbers): boolean {
  return count < 0;
}
