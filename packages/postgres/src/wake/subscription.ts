import type { SqlClient } from '../driver/sql-client.ts';
import { inTurns, turnsOf } from '../driver/users-client/turns.ts';

/** A pool that lends single connections, as that of `pg`. */
export interface PoolLike {
  readonly totalCount: number;
  readonly options?: { readonly max?: number };
  readonly connect: () => Promise<LentClient>;
}

/** A connection that emits notifications, as a client of `pg`. */
export interface LentClient extends SqlClient {
  readonly on: (
    event: 'notification' | 'error' | 'end',
    listener: (message?: Notification) => void,
  ) => unknown;
  readonly release?: (destroy?: boolean) => void;
}

interface Notification {
  readonly channel?: string;
  readonly payload?: string | undefined;
}

/** A subscription to one channel, on a connection of its own or on the user's only one. */
export interface Subscription {
  /** Returns whether notifications arrive. Subscribes first, also again after the connection broke. */
  readonly start: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

type Stop = () => Promise<void> | void;

/** Called with each message. */
type OnMessage = (message: string) => void;

/**
 * Returns a subscription by whatever the client can do. Where it can do nothing, idle processes poll, which is enough. When
 * the connection breaks, `onMessage` is called with an empty message: notifications may have been lost.
 */
export function openSubscription(client: SqlClient, channel: string, onMessage: OnMessage): Subscription {
  let starting: Promise<Stop | undefined> | undefined;
  const onBreak = (): void => {
    starting = undefined;
    onMessage('');
  };
  return {
    start: async () => {
      starting ??= subscribe(client, channel, { onMessage, onBreak }).catch(() => undefined);
      return (await starting) !== undefined;
    },
    close: async () => {
      const stop = await starting;
      await stop?.();
    },
  };
}

interface Callbacks {
  readonly onMessage: OnMessage;
  readonly onBreak: () => void;
}

async function subscribe(client: SqlClient, channel: string, on: Callbacks): Promise<Stop | undefined> {
  if (canListen(client)) return client.listen(channel, on.onMessage);
  if (isPool(client)) {
    // The only connection of a pool has to answer calls.
    return client.options?.max === 1 ? undefined : listenOn(await client.connect(), channel, on);
  }
  return emitsNotifications(client) ? listenOn(client, channel, on) : undefined;
}

async function listenOn(
  client: LentClient,
  channel: string,
  { onMessage, onBreak }: Callbacks,
): Promise<Stop> {
  let hasEnded = false;
  const end = (how: 'broken' | 'closed'): void => {
    if (hasEnded) return;
    hasEnded = true;
    client.release?.(true);
    if (how === 'broken') onBreak();
  };
  client.on('notification', (message) => {
    if (!hasEnded && message?.channel === channel) onMessage(message.payload ?? '');
  });
  client.on('error', () => end('broken'));
  client.on('end', () => end('broken'));
  await inTurns(client, turnsOf(client)).query(`listen ${channel}`);
  return () => end('closed');
}

/** PGlite has a method of its own for notifications. */
interface ListeningClient extends SqlClient {
  readonly listen: (channel: string, onMessage: OnMessage) => Promise<Stop>;
}

/** Whether a client is PGlite. */
export function canListen(client: SqlClient): client is ListeningClient {
  return 'listen' in client && typeof client.listen === 'function';
}

function isPool(client: SqlClient): client is SqlClient & PoolLike {
  return 'connect' in client && typeof client.connect === 'function' && 'totalCount' in client;
}

function emitsNotifications(client: SqlClient): client is LentClient {
  return (
    'on' in client && typeof client.on === 'function' && 'connect' in client && !('totalCount' in client)
  );
}
