import type { LaneDepth } from '@retry/core/broker';
import type { Database } from '../driver/database.ts';

/** Counts the runs that wait in each of these lanes. */
export async function countDepths(
  database: Database,
  lanes: readonly string[],
): Promise<readonly LaneDepth[]> {
  return JSON.parse((await database.call('count_depths', { lanes })) ?? '[]') as readonly LaneDepth[]; // what our own function builds
}
