import type { Clock } from '@retry/core';
import { isRetryError } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { sleep } from '../sleep.ts';

/** Listens, while a caller waits, for runs whose result is kept and that may have ended. */
export interface ResultSignal {
  /** How many notifications there have been. */
  readonly count: () => number;
  /** Listens from now on. @returns ends it */
  readonly listen: () => () => void;
}

interface SignalOptions {
  readonly broker: Broker;
  readonly clock: Clock;
  readonly onNotified: () => void;
  readonly onTrouble: (error: unknown) => void;
}

/** One call of the broker lasts this long when nothing happens. */
const LISTEN_MS = 60_000;
const AFTER_TROUBLE_MS = 1_000;

/** A signal over a broker; it calls nothing while there is no listener. */
export function createResultSignal(options: SignalOptions): ResultSignal {
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

/** What a call was rejected with. */
interface ListenerError {
  readonly error: unknown;
}

/** Never rejects. */
async function listenUntil(
  signal: AbortSignal,
  { broker, clock, onNotified, onTrouble }: SignalOptions,
): Promise<void> {
  const ask = (): Promise<ListenerError | undefined> =>
    broker.waitForResult({ timeoutMs: LISTEN_MS, signal }).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  let answer = ask();
  for (;;) {
    const trouble = await answer;
    if (signal.aborted) return;
    // Nothing notifies any more; by the next look those that wait are rejected.
    if (isRetryError(trouble?.error, 'BROKER_CLOSED')) return onNotified();
    if (trouble !== undefined) {
      onTrouble(trouble.error);
      await sleep(clock, AFTER_TROUBLE_MS, signal);
    }
    // What ends from now on notifies again, so that nothing is missed between two calls.
    answer = ask();
    onNotified();
  }
}
