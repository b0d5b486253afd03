import { closedError } from '@retry/core/broker/kit';
import { RedisBrokerError } from '../errors.ts';
import { startAwakeTimer } from './awake-timer.ts';

/** How long a broker waits for a server that does not answer, in ms. */
const START_TIMEOUT_MS = 4_500;

/** The latest error of a connection. */
export interface LastError {
  readonly note: (error: unknown) => void;
  readonly latest: () => unknown;
}

/** Creates what keeps the latest error of a connection. */
export function createLastError(): LastError {
  let latest: unknown;
  return {
    note: (error) => {
      latest = error;
    },
    latest: () => latest,
  };
}

/**
 * Resolves or rejects as the start does; rejects when it takes too long or the broker is closed. Clients try forever: then what the
 * start has opened, or opens later, is closed by its signal.
 */
export async function startInTime<Outcome>(
  start: (abandoned: AbortSignal) => Promise<Outcome>,
  lastError: LastError,
  closing: AbortSignal,
): Promise<Outcome> {
  const abandoned = new AbortController();
  let stop = (): void => {};
  const limit = new Promise<never>((_, reject) => {
    const endTimer = startAwakeTimer(START_TIMEOUT_MS, () => reject(unreachable(lastError.latest())));
    const refuse = (): void => reject(closedError('Redis'));
    if (closing.aborted) refuse();
    closing.addEventListener('abort', refuse);
    stop = () => {
      endTimer();
      closing.removeEventListener('abort', refuse);
    };
  });
  try {
    return await Promise.race([start(abandoned.signal), limit]);
  } catch (error) {
    abandoned.abort();
    throw error;
  } finally {
    stop();
  }
}

function unreachable(cause: unknown): RedisBrokerError {
  const reason = cause instanceof Error ? cause.message || String(cause) : 'it does not answer';
  const message = `the Redis server was not reached within ${START_TIMEOUT_MS} ms: ${reason}. Start it, or correct the url or the client.`;
  return new RedisBrokerError('REDIS_UNREACHABLE', message, { cause });
}
