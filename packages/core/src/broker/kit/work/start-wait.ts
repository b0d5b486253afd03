import type { Clock } from '../../../clock.ts';
import type { WaitOptions } from '../../broker.ts';

/** Starts the timer and the abort listener of a wait. @returns ends it, as both of them do: removes them and calls `onEnd` */
export function startWait(clock: Clock, { timeoutMs, signal }: WaitOptions, onEnd: () => void): () => void {
  const finish = (): void => {
    cancelTimer?.();
    signal?.removeEventListener('abort', finish);
    onEnd();
  };
  const cancelTimer = timeoutMs < Infinity ? clock.setTimer(finish, timeoutMs) : undefined;
  signal?.addEventListener('abort', finish);
  return finish;
}
