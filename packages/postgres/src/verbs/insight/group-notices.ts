import type { GroupNotice } from '@retry/core/broker';
import type { Database } from '../../driver/database.ts';

/** Returns the error groups that are new or have doubled. */
export async function claimGroupNotices(database: Database): Promise<readonly GroupNotice[]> {
  return JSON.parse((await database.call('claim_group_notices', {})) ?? '[]') as readonly GroupNotice[]; // what our own function builds
}
