import type { Policy } from '@retry/core';
import { computeDelay, definePolicy } from '@retry/core';
import { errorLine } from '../error-text.ts';
import type { WorkerSettings } from '../options.ts';
import { sleep } from '../sleep.ts';

/** When to ask a broker again that could not serve: its server may be started, or configured correctly, meanwhile. */
const READY_RETRY: Policy = definePolicy({
  maxAttempts: Infinity,
  backoff: { type: 'exponential', base: '1s' },
  minDelay: '1s',
  maxDelay: '30s',
});

interface ReadyPort extends Pick<WorkerSettings, 'broker' | 'clock' | 'random'> {
  readonly onError: (error: unknown) => void;
}

/**
 * Waits until the broker can serve, or until the signal aborts. A server that the broker refuses is reported once for each
 * cause, instead of once for each call that a worker would make. Never rejects.
 */
export async function waitUntilReady(
  { broker, clock, random, onError }: ReadyPort,
  signal: AbortSignal,
): Promise<void> {
  let reported: string | undefined;
  for (let failures = 1; !signal.aborted; failures += 1) {
    const failure = await failureOf(broker, signal);
    if (failure === undefined || signal.aborted) return;
    const cause = errorLine(failure.error);
    if (cause !== reported) onError(failure.error);
    reported = cause;
    await sleep(clock, computeDelay(READY_RETRY, failures, { random }), signal);
  }
}

/** Resolves with the rejection of `ready`, or with `undefined` when it resolves or the signal aborts. */
function failureOf(
  broker: ReadyPort['broker'],
  signal: AbortSignal,
): Promise<{ readonly error: unknown } | undefined> {
  return new Promise((resolve) => {
    const onAbort = (): void => resolve(undefined);
    signal.addEventListener('abort', onAbort);
    const onAnswer = (failure: { readonly error: unknown } | undefined): void => {
      signal.removeEventListener('abort', onAbort);
      resolve(failure);
    };
    const ask = async (): Promise<void> => broker.ready?.(); // async: it may throw before it returns a promise
    ask().then(
      () => onAnswer(undefined),
      (error: unknown) => onAnswer({ error }),
    );
  });
}
