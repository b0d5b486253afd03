import type { Hold, HoldRequest, ResumeAnswer, ResumeRequest } from '@retry/core/broker';
import { readAnswers } from '@retry/core/broker/kit';
import { inChunks } from '../driver/chunks.ts';
import type { Database } from '../driver/database.ts';
import { upToWhole } from '../driver/sql-values.ts';
import type { WorkWaits } from '../wake/wait-for-work.ts';

/** What holds of lanes work with. */
interface HoldPort {
  readonly database: Database;
  readonly workWaits: WorkWaits;
}

/** In place of the lane of a hold of all lanes. */
const ALL_LANES = '';

/** Puts lanes on hold. */
export async function holdLanes(
  { database, workWaits }: HoldPort,
  holds: readonly HoldRequest[],
): Promise<void> {
  await inChunks(holds, async (chunk) => {
    const whole = (ms: number | undefined): number | undefined =>
      ms === undefined ? undefined : upToWhole(Math.max(0, ms));
    await database.call('hold_lanes', {
      lanes: chunk.map(({ lane }) => lane ?? ALL_LANES),
      sources: chunk.map(({ source }) => source),
      reasons: chunk.map(({ reason }) => reason),
      holders: chunk.map(({ by }) => by),
      untils: chunk.map(({ until }) => whole(until)),
      forsMs: chunk.map(({ forMs }) => whole(forMs)),
      probesMs: chunk.map(({ probeMs }) => whole(probeMs)),
      keepLonger: chunk.map(({ keepLonger }) => keepLonger || undefined),
    });
    workWaits.pollAll();
    return [];
  });
}

/** Ends holds, and makes the workers of this process look whether they have work. */
export function resumeLanes(
  { database, workWaits }: HoldPort,
  requests: readonly ResumeRequest[],
): Promise<readonly ResumeAnswer[]> {
  return inChunks(requests, async (chunk) => {
    const lanes = chunk.map(({ lane }) => lane ?? ALL_LANES);
    const sources = chunk.map(({ source }) => source);
    const answers = readAnswers('resume', (await database.call('resume_lanes', { lanes, sources })) ?? '');
    workWaits.pollAll();
    return answers;
  });
}

/** Returns the holds that have not ended, those of all lanes first. */
export async function listHolds(database: Database): Promise<readonly Hold[]> {
  return JSON.parse((await database.call('list_holds', {})) ?? '[]') as readonly Hold[]; // what our own function builds
}
