import type { PostgresBrokerSettings } from '../options.ts';
import { channelOf } from '../schema/migrations.ts';
import { openListener } from '../wake/subscription.ts';
import type { Poke } from '../wake/wait-for-work.ts';
import { openPool } from './open-pool.ts';
import type { SqlClient } from './sql-client.ts';

/** The client that a broker works with, and the news that come by it. */
export interface Connection {
  readonly client: SqlClient;
  /** Begins to listen, if that is wanted and possible. Gives whether news come. */
  readonly listen: () => Promise<boolean>;
  /** What to do at news; `undefined` are news of nobody knows where. */
  readonly onNews: (hear: (news: Poke | undefined) => void) => void;
  /** Gives back what was opened. */
  readonly close: () => Promise<void>;
}

/** Takes the user's client, or opens a pool of its own. */
export function openConnection(settings: PostgresBrokerSettings): Connection {
  const { client: given, url, connections, schema } = settings;
  const pool = url === undefined ? undefined : openPool(url, connections);
  const client = given ?? pool;
  if (client === undefined) throw new Error('a client or a url has been asked for before');
  let hear: (news: Poke | undefined) => void = () => {};
  const listener = openListener(client, channelOf(schema), (message) => hear(readNews(message)));
  return {
    client,
    listen: async () => settings.listen && listener.start(),
    onNews: (listen) => {
      hear = listen;
    },
    close: async () => {
      await listener.close();
      await pool?.close();
    },
  };
}

/**
 * What a notification says; `undefined`, something changed, for what none of ours has sent: any role that may connect may
 * write to the channel.
 */
function readNews(message: string): Poke | undefined {
  const news = parse(message);
  if (typeof news !== 'object' || news === null) return undefined;
  const { ready, later, results } = news as { readonly [Key in keyof Poke]?: unknown }; // any object has keys
  if (!isNames(ready ?? []) || !isNames(later ?? []) || typeof results !== 'boolean') return undefined;
  return { ready: ready ?? [], later: later ?? [], results } as Poke; // asked just now
}

function parse(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
