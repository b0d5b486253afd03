import { createConnectionWarning } from '../connection-warning.ts';
import type { SqlClient } from '../sql-client.ts';
import { isPgPool } from './users-client.ts';

type OnError = (error: unknown) => void;

/** A broker that listens for the errors of a pool. */
interface Listener {
  readonly onError: OnError | undefined;
}

/** The brokers on a pool, and how their one listener is removed. */
interface Listening {
  readonly listeners: Set<Listener>;
  readonly stop: () => void;
}

const pools = new WeakMap<SqlClient, Listening>();

/**
 * Listens for errors of idle connections of a user's pool, which without a listener end the process. All brokers on a pool have
 * one listener. Where neither a broker nor the user takes an error, it is a process warning.
 *
 * @returns what ends it
 */
export function listenToErrors(pool: SqlClient, onError: OnError | undefined): () => void {
  if (!isPgPool(pool) || !emitsErrors(pool)) return () => {};
  const listening = pools.get(pool) ?? startListening(pool);
  pools.set(pool, listening);
  const listener = { onError };
  listening.listeners.add(listener);
  return () => {
    if (!listening.listeners.delete(listener) || listening.listeners.size > 0) return;
    pools.delete(pool);
    listening.stop();
  };
}

function startListening(pool: ErrorSource): Listening {
  const listeners = new Set<Listener>();
  const warn = createConnectionWarning();
  const report = (error: unknown): void => {
    const taken = [...listeners].flatMap(({ onError }) => onError ?? []);
    for (const onError of taken) onError(error);
    if (taken.length === 0 && pool.listenerCount('error') === 1) warn(error);
  };
  pool.on('error', report);
  return { listeners, stop: () => void pool.off('error', report) };
}

/** What of an event emitter is used. */
interface ErrorSource {
  readonly on: (event: 'error', listener: OnError) => unknown;
  readonly off: (event: 'error', listener: OnError) => unknown;
  readonly listenerCount: (event: 'error') => number;
}

function emitsErrors(client: object): client is ErrorSource {
  return ['on', 'off', 'listenerCount'].every((key) => typeof Reflect.get(client, key) === 'function');
}
