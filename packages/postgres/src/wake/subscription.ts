import type { SqlClient } from '../driver/sql-client.ts';

/** A pool that lends single connections, as that of `pg`. */
export interface PoolLike {
  readonly totalCount: number;
  readonly connect: () => Promise<LentClient>;
}

/** A connection that tells of notifications, as a client of `pg`. */
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

/** Listens to one channel on a connection of its own, or on the user's only one. */
export interface Listener {
  /** Gives whether it listens; begins, or begins anew after the connection broke. */
  readonly start: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

type Stop = () => Promise<void> | void;

/** A listener over whatever the client can do. Without notifications there is nothing but polling, and that is enough. */
export function openListener(client: SqlClient, channel: string, hear: (message: string) => void): Listener {
  let starting: Promise<Stop | undefined> | undefined;
  const onBreak = (): void => {
    starting = undefined;
    hear('');
  };
  return {
    start: async () => {
      starting ??= listen(client, channel, { hear, onBreak }).catch(() => undefined);
      return (await starting) !== undefined;
    },
    close: async () => {
      const stop = await starting;
      await stop?.();
    },
  };
}

interface Ears {
  readonly hear: (message: string) => void;
  readonly onBreak: () => void;
}

async function listen(client: SqlClient, channel: string, ears: Ears): Promise<Stop | undefined> {
  if (canListen(client)) return client.listen(channel, ears.hear);
  if (isPool(client)) return listenOn(await client.connect(), channel, ears);
  return isNotified(client) ? listenOn(client, channel, ears) : undefined;
}

async function listenOn(client: LentClient, channel: string, { hear, onBreak }: Ears): Promise<Stop> {
  let hasEnded = false;
  const end = (how: 'broken' | 'closed'): void => {
    if (hasEnded) return;
    hasEnded = true;
    client.release?.(true);
    if (how === 'broken') onBreak();
  };
  client.on('notification', (message) => {
    if (!hasEnded && message?.channel === channel) hear(message.payload ?? '');
  });
  client.on('error', () => end('broken'));
  client.on('end', () => end('broken'));
  await client.query(`listen ${channel}`);
  return () => end('closed');
}

/** PGlite has notifications of its own. */
interface ListeningClient extends SqlClient {
  readonly listen: (channel: string, hear: (message: string) => void) => Promise<Stop>;
}

function canListen(client: SqlClient): client is ListeningClient {
  return 'listen' in client && typeof client.listen === 'function';
}

function isPool(client: SqlClient): client is SqlClient & PoolLike {
  return 'connect' in client && typeof client.connect === 'function' && 'totalCount' in client;
}

function isNotified(client: SqlClient): client is LentClient {
  return (
    'on' in client && typeof client.on === 'function' && 'connect' in client && !('totalCount' in client)
  );
}
