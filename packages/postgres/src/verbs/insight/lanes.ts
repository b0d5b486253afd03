import type { LaneCounts } from '@retry/core/broker/kit';
import type { Database } from '../../driver/database.ts';

/** Entries that one call counts of each kind, at most: some ten milliseconds of work. */
const MAX_ENTRIES = 20_000;

/** Entries of one lane and kind that are counted in any case. */
const MIN_ENTRIES = 1_000;

interface Reply {
  readonly at: number;
  readonly counts: readonly LaneCounts[];
}

/** Returns the lanes that have runs that wait. */
export async function readLaneNames(database: Database): Promise<readonly string[]> {
  return JSON.parse((await database.call('waiting_lanes', {})) ?? '[]') as readonly string[]; // what our own function builds
}

/** Counts what is in each of these lanes. */
export async function countLanes(database: Database, lanes: readonly string[]): Promise<Reply> {
  const limit = Math.max(MIN_ENTRIES, Math.floor(MAX_ENTRIES / Math.max(1, lanes.length)));
  return JSON.parse((await database.call('count_lanes', { lanes, limit })) ?? '') as Reply; // what our own function builds
}
