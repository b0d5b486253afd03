import type { Clock } from '@retry/core';
import { isRetryError } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { sleep } from '../../sleep.ts';

/** Listens to the broker, while a caller waits, for runs with `keepResult` that may have ended. */
export interface ResultNotifications {
  /** How many notifications there have been. */
  readonly count: () => number;
  /** Listens from now on. @returns ends it */
  readonly listen: () => () => void;
}

interface NotificationOptions {
  readonly broker: Broker;
  readonly clock: Clock;
  readonly onNotified: () => void;
  readonly onError: (error: unknown) => void;
}

/** How long one call of the broker lasts when nothing happens, in ms. */
const LISTEN_MS = 60_000;
/** How long to wait after a call that failed, in ms. */
const AFTER_ERROR_MS = 1_000;

/** Creates the notifications of a broker; it is not called while there is no listener. */
export function createResultNotifications(options: NotificationOptions): ResultNotifications {
  let count = 0;
  let listeners = 0;
  let ending: AbortController | undefined;
  const onNotified = (): void => {
    count += 1;
    options.onNotified();
  };
  const leave = (): void => {
    listeners -= 1;
    if (listeners === 0) ending?.abort();
  };
  return {
    count: () => count,
    listen: () => {
      listeners += 1;
      if (listeners === 1) {
        ending = new AbortController();
        void listenUntil(ending.signal, { ...options, onNotified });
      }
      return leave;
    },
  };
}

/** The rejection of a call. */
interface Rejection {
  readonly error: unknown;
}

/** Never rejects. */
async function listenUntil(
  signal: AbortSignal,
  { broker, clock, onNotified, onError }: NotificationOptions,
): Promise<void> {
  const listen = async (): Promise<Rejection | undefined> => {
    try {
      await broker.wait({ results: true, timeoutMs: LISTEN_MS, signal });
      return undefined;
    } catch (error) {
      return { error };
    }
  };
  let answer = listen();
  for (;;) {
    const rejection = await answer;
    if (signal.aborted) return;
    // There are no more notifications; the next poll rejects the waits.
    if (isRetryError(rejection?.error, 'BROKER_CLOSED')) return onNotified();
    if (rejection !== undefined) {
      onError(rejection.error);
      await sleep(clock, AFTER_ERROR_MS, signal);
    }
    // Listens again before it notifies, so that no end between two calls is missed.
    answer = listen();
    onNotified();
  }
}
