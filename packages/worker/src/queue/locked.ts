import { FIRST_LOCKED_PAUSE_MS, nextLockedPauseMs } from '../broker.ts';
import { halves } from '../halves.ts';

/** Sends a batch, and returns those of it that are still locked. */
type SendOnce<Call> = (batch: readonly Call[]) => Promise<readonly Call[]>;

/**
 * Returns what sends locked calls again until none of them is: a batch at a time, whatever their number, so that they use one
 * connection. Of a batch, a single call may be what is locked; it is divided until that one is alone.
 *
 * @param sendOnce - never rejects
 */
export function createLockedSender<Call>(sendOnce: SendOnce<Call>): (calls: readonly Call[]) => void {
  let locked: (readonly Call[])[] = [];
  let isSending = false;
  const sendAll = async (): Promise<void> => {
    isSending = true;
    let pauseMs = FIRST_LOCKED_PAUSE_MS;
    while (locked.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const batches = locked;
      locked = [];
      pauseMs = nextLockedPauseMs(pauseMs);
      for (const batch of batches) {
        const left = await divided(sendOnce, batch);
        if (left.length < batch.length) pauseMs = FIRST_LOCKED_PAUSE_MS;
        locked.push(...left);
      }
    }
    isSending = false;
  };
  return (calls) => {
    locked.push(calls);
    if (!isSending) void sendAll();
  };
}

/** Sends a batch, in halves where it is locked as a whole, and returns the calls that are still locked, each alone. */
async function divided<Call>(
  sendOnce: SendOnce<Call>,
  batch: readonly Call[],
): Promise<readonly (readonly Call[])[]> {
  const left = await sendOnce(batch);
  if (left.length < batch.length || left.length <= 1) return left.map((call) => [call]);
  const [first, second] = halves(left);
  return [...(await divided(sendOnce, first)), ...(await divided(sendOnce, second))];
}
