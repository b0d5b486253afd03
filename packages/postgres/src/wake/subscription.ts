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
  readonly on: AddOrRemove;
  readonly off: AddOrRemove;
  readonly release?: (destroy?: boolean) => void;
}

type AddOrRemove = (event: Event, listener: Listener) => unknown;

type Event = 'notification' | 'error' | 'end';

type Listener = (message?: Notification) => void;

interface Notification {
  readonly channel?: string;
  readonly payload?: string | undefined;
}

/** A subscription to one channel, on a connection of its own or on the user's only one. */
interface Subscription {
  /** Returns whether notifications arrive. Subscribes first, also again after the connection broke. */
  readonly start: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

type Stop = () => Promise<void> | void;

/** Called with each message. */
type OnMessage = (message: string) => void;

/** A subscription that failed or broke is not begun again sooner after its beginning, in ms: meanwhile idle processes poll. */
const RETRY_MS = 2_000;

/**
 * Returns a subscription by whatever the client can do. Where it can do nothing, idle processes poll, which is enough. When
 * the connection breaks, `onMessage` is called with an empty message: notifications may have been lost.
 */
export function openSubscription(client: SqlClient, channel: string, onMessage: OnMessage): Subscription {
  let starting: Promise<Stop | undefined> | undefined;
  let retryAt = -Infinity;
  const onBreak = (): void => {
    starting = undefined;
    onMessage('');
  };
  const begin = (): Promise<Stop | undefined> => {
    retryAt = performance.now() + RETRY_MS;
    const begun: Promise<Stop | undefined> = subscribe(client, channel, { onMessage, onBreak }).catch(() => {
      // If it broke meanwhile, another one may have begun.
      if (starting === begun) starting = undefined;
      return undefined;
    });
    return begun;
  };
  return {
    start: async () => {
      if (starting === undefined && performance.now() < retryAt) return false;
      starting ??= begin();
      return (await starting) !== undefined;
    },
    close: async () => {
      const stop = await starting;
      try {
        await stop?.();
      } catch {
        // The user has closed the client before: it listens to nothing.
      }
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
    if (client.options?.max === 1) return undefined;
    const lent = await client.connect();
    return listenOn(lent, channel, { ...on, leave: () => lent.release?.(true) });
  }
  if (!emitsNotifications(client)) return undefined;
  return listenOn(client, channel, { ...on, leave: () => unlisten(client, channel) });
}

interface Listening extends Callbacks {
  /** Called once, when the connection is no longer listened to. */
  readonly leave: Stop;
}

async function listenOn(
  client: LentClient,
  channel: string,
  { onMessage, onBreak, leave }: Listening,
): Promise<Stop> {
  let hasEnded = false;
  const end = async (how: 'broken' | 'closed'): Promise<void> => {
    if (hasEnded) return;
    hasEnded = true;
    if (how === 'broken') onBreak();
    else removeListeners();
    await leave();
  };
  const removeListeners = addListeners(client, {
    notification: (message) => message?.channel === channel && onMessage(message.payload ?? ''),
    // Another error may follow, which would end the process if nothing listened to it.
    error: () => void end('broken'),
    end: () => {
      removeListeners();
      void end('broken');
    },
  });
  try {
    await listen(client, channel);
  } catch (error) {
    await end('closed');
    throw error;
  }
  return () => end('closed');
}

/** Returns a function that removes them. */
function addListeners(client: LentClient, listeners: Readonly<Record<Event, Listener>>): () => void {
  const events = Object.keys(listeners) as Event[]; // by its type
  for (const event of events) client.on(event, listeners[event]);
  return () => {
    for (const event of events) client.off(event, listeners[event]);
  };
}

/** How many subscriptions a connection has to each channel: brokers of one schema may share a client. */
const subscriptions = new WeakMap<SqlClient, Map<string, number>>();

function listen(client: SqlClient, channel: string): Promise<unknown> {
  const counts = subscriptions.get(client) ?? new Map<string, number>();
  subscriptions.set(client, counts.set(channel, (counts.get(channel) ?? 0) + 1));
  return inTurns(client, turnsOf(client)).query(`listen ${channel}`);
}

/** Stops listening after the last of the subscriptions. */
async function unlisten(client: SqlClient, channel: string): Promise<void> {
  const counts = subscriptions.get(client);
  const left = (counts?.get(channel) ?? 1) - 1;
  counts?.set(channel, left);
  // A connection that has ended listens to nothing.
  if (left === 0)
    await inTurns(client, turnsOf(client))
      .query(`unlisten ${channel}`)
      .catch(() => undefined);
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
    'on' in client &&
    typeof client.on === 'function' &&
    'off' in client &&
    'connect' in client &&
    !('totalCount' in client)
  );
}
