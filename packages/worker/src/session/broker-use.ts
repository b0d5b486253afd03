import type { Policy } from '@retry/core';
import { computeDelay, definePolicy } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import type { WorkerContext } from '../engine/worker-context.ts';
import { errorLine } from '../error-text.ts';
import type { WorkerSettings } from '../options.ts';
import { sleep, unlessAborted } from '../sleep.ts';

/** When to ask a broker again that could not serve: its server may be started, or configured correctly, meanwhile. */
const READY_RETRY: Policy = definePolicy({
  maxAttempts: Infinity,
  backoff: { type: 'exponential', base: '1s' },
  minDelay: '1s',
  maxDelay: '30s',
});

/**
 * Waits until the broker can serve, or until the signal aborts. Never rejects.
 *
 * @param worker - reports a server that the broker refuses, once for each cause, instead of once for each call that it would make
 */
export async function waitUntilReady(
  { broker, clock, random }: Pick<WorkerSettings, 'broker' | 'clock' | 'random'>,
  signal: AbortSignal,
  worker?: WorkerContext,
): Promise<void> {
  if (broker.ready === undefined) return;
  let reported: string | undefined;
  for (let failures = 1; !signal.aborted; failures += 1) {
    const failure = await failureOf(broker, signal);
    if (failure === undefined || signal.aborted) return;
    const { error } = failure;
    const cause = errorLine(error);
    if (worker !== undefined && cause !== reported) {
      worker.startError = failure;
      worker.emitError(error, 'starting');
    }
    reported = cause;
    await sleep(clock, computeDelay(READY_RETRY, failures, { random }), signal);
  }
}

/** Resolves with the rejection of `ready`, or with `undefined` when it resolves or the signal aborts. */
async function failureOf(broker: Broker, signal: AbortSignal): Promise<Failure | undefined> {
  const ask = async (): Promise<undefined> => void (await broker.ready?.()); // async: it may throw before it returns a promise
  return unlessAborted(
    ask().catch((error: unknown) => ({ error })),
    signal,
    undefined,
  );
}

interface Failure {
  readonly error: unknown;
}

interface BrokerUse {
  workers: number;
  /** A signal stopped one of the workers: the process is about to end. */
  isProcessEnding: boolean;
}

const USES = new WeakMap<Broker, BrokerUse>();

/** Counts a worker that uses the broker. */
export function useBroker(broker: Broker): void {
  const use = USES.get(broker) ?? { workers: 0, isProcessEnding: false };
  use.workers += 1;
  USES.set(broker, use);
}

/**
 * Counts a worker that has stopped. If a signal stopped any of them, the last one closes a broker that owns its connection:
 * nothing else would close it, and an open connection keeps the process alive.
 */
export async function leaveBroker(
  broker: Broker,
  { isProcessEnding }: Pick<BrokerUse, 'isProcessEnding'>,
): Promise<void> {
  const use = USES.get(broker);
  if (use === undefined) return;
  use.workers -= 1;
  use.isProcessEnding ||= isProcessEnding;
  if (use.workers === 0 && use.isProcessEnding && broker.facts?.ownsConnection === true) await broker.close();
}
