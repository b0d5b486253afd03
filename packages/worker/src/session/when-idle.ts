import { A_SIGNAL, readOptions } from '@retry/core/fields';
import { isIdle } from '../engine/plan/plan.ts';
import type { WorkerContext } from '../engine/worker-context.ts';
import { onAbort } from '../queue/results/abort-listeners.ts';
import { sleep } from '../sleep.ts';

/** The options of `worker.whenIdle`. */
export interface WhenIdleOptions {
  /** Ends the wait immediately, which rejects with `signal.reason`; the worker keeps working. */
  readonly signal?: AbortSignal | undefined;
}

const KEYS: readonly (keyof WhenIdleOptions)[] = ['signal'];

/** How often the broker is asked whether everything is done, in ms. */
const IDLE_POLL_MS = 20;

/** Waits until everything is done, or the worker has stopped. @throws {InvalidOptionsError} for wrong options; the reason of the signal */
export async function whenIdle(worker: WorkerContext, stopped: AbortSignal, options: unknown): Promise<void> {
  const { signal } = readWhenIdleOptions(options);
  if (signal === undefined) return pollUntilIdle(worker, stopped);
  if (signal.aborted) throw signal.reason;
  await new Promise<void>((resolve, reject) => {
    const stopListening = onAbort(signal, () => reject(signal.reason));
    void pollUntilIdle(worker, stopped, signal).then(resolve, reject).finally(stopListening);
  });
}

function readWhenIdleOptions(options: unknown): WhenIdleOptions {
  return readOptions(options, { subject: 'whenIdle', keys: KEYS }, (fields) => ({
    signal: fields.optional('signal', A_SIGNAL) as AbortSignal | undefined, // signals of this runtime have a reason
  }));
}

async function pollUntilIdle(
  { settings, state }: WorkerContext,
  stopped: AbortSignal,
  given?: AbortSignal,
): Promise<void> {
  const { broker, clock, pollMs } = settings;
  while (!stopped.aborted && given?.aborted !== true) {
    const { submitted, scheduled, started } = await broker.audit();
    if (isIdle(state) && submitted + scheduled + started === 0) return;
    await sleep(clock, Math.min(pollMs, IDLE_POLL_MS), stopped);
  }
}
