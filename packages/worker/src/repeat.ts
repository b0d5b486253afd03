import type { Clock } from '@retry/core';

/** Calls again and again, each time `everyMs` after the call before has ended. Its errors go to `onError`. */
export function repeat(
  clock: Clock,
  everyMs: number,
  job: { readonly run: () => Promise<void>; readonly onError: (error: unknown) => void },
): () => void {
  let cancelTimer = (): void => {};
  let isStopped = false;
  const arm = (): void => {
    if (!isStopped) cancelTimer = clock.setTimer(() => void job.run().catch(job.onError).then(arm), everyMs);
  };
  arm();
  return () => {
    isStopped = true;
    cancelTimer();
  };
}
