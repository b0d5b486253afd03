import type { EndAnswer, EndRequest } from '@retry/core/broker';
import { answerOfLetter, endBytes, OTHER_GROUP, STATE_LETTERS } from '@retry/core/broker/kit';
import type { ChunkLimits } from '../driver/chunks.ts';
import { inChunks } from '../driver/chunks.ts';
import { untilUnlocked } from '../driver/unlocked.ts';
import { writeError } from '../record/record.ts';
import { deadLetterOf } from '../schema/letters.ts';
import type { ExchangePort } from './settle-and-claim.ts';
import { settleAndClaim } from './settle-and-claim.ts';

/** How a waiting run ends. */
export type Ending = EndRequest | { readonly id: string; readonly as: 'cancelled' };

/** What `end_runs` replies. */
interface Ended {
  readonly answers: string;
  /** Lanes that got parked runs back. */
  readonly unparked: readonly string[] | null;
  /** Whether runs have ended whose results a caller waits for. */
  readonly results: boolean;
  /** How many have ended as runs that retention may forget. */
  readonly finished: number;
  /** How many bytes their long texts have. */
  readonly long: number;
}

/** Ends waiting runs as an operator decides. Of an id that is given twice, the first request holds. */
export async function endRuns(port: ExchangePort, endings: readonly Ending[]): Promise<readonly EndAnswer[]> {
  return inChunks(endings, (chunk) => untilUnlocked(chunk, (left) => endChunk(port, left)), ENDS);
}

/** What one statement takes. */
export const ENDS: ChunkLimits<Ending> = { bytesOf, idOf: ({ id }) => id };

/** Ends as many runs as one statement takes; those that another transaction is moving or settling are left, `undefined`. */
export async function endChunk(
  port: ExchangePort,
  endings: readonly Ending[],
): Promise<readonly (EndAnswer | undefined)[]> {
  const { database, memory, workWaits, resultWaits, retention } = port;
  const text = await database.call('end_runs', {
    ids: endings.map(({ id }) => id),
    endings: endings.map(letterOf).join(''),
    results: endings.map((ending) => (ending.as === 'completed' ? ending.result : undefined)),
    ...errorArguments(endings),
    ...groupArguments(endings),
  });
  const { answers, unparked, results, finished, long } = JSON.parse(text ?? '') as Ended; // what our own function builds
  memory.forgetLanes(unparked ?? []);
  workWaits.notify({ ready: unparked ?? [], later: [] });
  if (results) resultWaits.wake();
  retention.noteLong(long);
  // An exchange forgets what is too much; where this one fails, a later one does.
  if (retention.count(finished)) await settleAndClaim(port, {}).catch(() => undefined);
  return Array.from(answers, (letter) => answerOfLetter('end', letter));
}

function letterOf({ as }: Ending): string {
  return as === 'failed' ? deadLetterOf(as) : STATE_LETTERS[as];
}

function errorArguments(endings: readonly Ending[]) {
  const written = endings.map((ending) => (ending.as === 'failed' ? writeError(ending.error) : undefined));
  return { errorNames: written.map((one) => one?.name), errors: written.map((one) => one?.text) };
}

function groupArguments(endings: readonly Ending[]) {
  const groups = endings.map((ending) =>
    ending.as === 'failed' ? (ending.group ?? OTHER_GROUP) : undefined,
  );
  return { groupIds: groups.map((group) => group?.id), groupTitles: groups.map((group) => group?.title) };
}

function bytesOf(ending: Ending): number {
  return ending.as === 'cancelled' ? 0 : endBytes(ending);
}
