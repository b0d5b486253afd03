import type { Attendance, LaneDepth } from '@retry/core/broker';
import { writeFacts } from '@retry/core/broker/kit';
import type { Database } from '../driver/database.ts';
import { upToWhole } from '../driver/sql-values.ts';

/** Records that a worker is alive. Returns the lanes that have waiting runs and no worker. */
export async function attend(database: Database, attendance?: Attendance): Promise<readonly LaneDepth[]> {
  const { worker = null, lanes = [], ttlMs = 0, facts } = attendance ?? {};
  const text = await database.call('attend', {
    ...{ worker, lanes, ttlMs: Math.max(0, upToWhole(ttlMs)) },
    facts: writeFacts(facts),
  });
  return JSON.parse(text ?? '[]') as readonly LaneDepth[]; // what our own function builds
}
