import type { RescheduleAnswer, RescheduleRequest } from '@retry/core/broker';
import { answerOfLetter } from '@retry/core/broker/kit';
import type { ChunkLimits } from '../driver/chunks.ts';
import { inChunks } from '../driver/chunks.ts';
import { upToWhole } from '../driver/sql-values.ts';
import { untilUnlocked } from '../driver/unlocked.ts';
import type { ExchangePort } from './settle-and-claim.ts';

/** What `reschedule_runs` replies. */
interface Rescheduled {
  readonly answers: string;
  /** Lanes that got runs, or have more in their schedule. */
  readonly ready: readonly string[] | null;
  readonly later: readonly string[] | null;
  /** Lanes that got parked runs back. */
  readonly unparked: readonly string[] | null;
}

/** Moves waiting runs to another instant, an id that is given twice once after the other; wakes the workers of this process. */
export async function rescheduleRuns(
  port: ExchangePort,
  requests: readonly RescheduleRequest[],
): Promise<readonly RescheduleAnswer[]> {
  return inChunks(requests, (chunk) => untilUnlocked(chunk, (left) => rescheduleChunk(port, left)), MOVES);
}

/** What one statement takes. */
export const MOVES: ChunkLimits<RescheduleRequest> = { idOf: ({ id }) => id };

/** Moves as many runs as one statement takes; those that another transaction is moving or settling are left, `undefined`. */
export async function rescheduleChunk(
  { database, memory, workWaits }: ExchangePort,
  requests: readonly RescheduleRequest[],
): Promise<readonly (RescheduleAnswer | undefined)[]> {
  const whole = (ms: number | undefined): number | undefined =>
    ms === undefined ? undefined : upToWhole(ms);
  const text = await database.call('reschedule_runs', {
    ids: requests.map(({ id }) => id),
    runAts: requests.map(({ runAt }) => whole(runAt)),
    delaysMs: requests.map(({ delayMs }) => whole(delayMs)),
  });
  const { answers, ready, later, unparked } = JSON.parse(text ?? '') as Rescheduled; // what our own function builds
  memory.forgetLanes(unparked ?? []);
  workWaits.notify({ ready: [...(ready ?? []), ...(unparked ?? [])], later: later ?? [] });
  return Array.from(answers, (letter) => answerOfLetter('reschedule', letter));
}
