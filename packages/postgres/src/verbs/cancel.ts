import type { CancelAnswer, EndAnswer, Locked } from '@retry/core/broker';
import { onEachOnce } from '../driver/chunks.ts';
import type { Ending } from './end.ts';
import { endRuns } from './end.ts';
import type { ExchangePort } from './settle-and-claim.ts';

/** Cancels runs. Of an id that is given twice, the first is cancelled, and the second has ended. */
export function cancelRuns(port: ExchangePort, ids: readonly string[]): Promise<readonly CancelAnswer[]> {
  return cancelBy<never>((endings) => endRuns(port, endings), ids);
}

/** The same, by what ends runs. */
export function cancelBy<Else extends Locked = never>(
  end: (endings: readonly Ending[]) => Promise<readonly (EndAnswer | Else)[]>,
  ids: readonly string[],
): Promise<readonly (CancelAnswer | Else)[]> {
  type Answer = CancelAnswer | Else;
  const again = (answer: Answer): Answer => (answer === 'cancelled' ? 'ended' : answer);
  return onEachOnce(ids, again, async (chunk) => {
    const answers = await end(chunk.map((id) => ({ id, as: 'cancelled' })));
    return answers.map((answer): Answer => (answer === 'done' ? 'cancelled' : answer));
  });
}
