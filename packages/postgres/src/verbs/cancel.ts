import type { CancelAnswer } from '@retry/core/broker';
import { onEachOnce } from '../driver/chunks.ts';
import { endRuns } from './end.ts';
import type { ExchangePort } from './settle-and-claim.ts';

/** Cancels runs. Of an id that is given twice, the first is cancelled, and the second has ended. */
export async function cancelRuns(
  port: ExchangePort,
  ids: readonly string[],
): Promise<readonly CancelAnswer[]> {
  const again = (answer: CancelAnswer): CancelAnswer => (answer === 'cancelled' ? 'ended' : answer);
  return onEachOnce(ids, again, async (chunk) => {
    const answers = await endRuns(
      port,
      chunk.map((id) => ({ id, as: 'cancelled' })),
    );
    return answers.map((answer) => (answer === 'done' ? 'cancelled' : answer));
  });
}
