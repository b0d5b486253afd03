import type { Reservation, Reserved } from '@retry/core/broker';
import { inChunks } from '../driver/chunks.ts';
import type { Database } from '../driver/database.ts';

/** Counts starts against limits, each of which has a row of its own. */
export function reserveStarts(
  database: Database,
  requests: readonly Reservation[],
): Promise<readonly Reserved[]> {
  return inChunks(requests, async (chunk) => {
    const reply = await database.call('reserve_starts', {
      keys: chunk.map(({ key }) => key),
      limits: chunk.map(({ limit }) => limit),
      windowsMs: chunk.map(({ windowMs }) => windowMs),
      counts: chunk.map(({ count }) => count),
    });
    return JSON.parse(reply ?? '[]') as readonly Reserved[]; // what our own function builds
  });
}
