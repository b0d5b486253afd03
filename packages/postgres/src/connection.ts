import { openListener } from './listener.ts';
import { openPool } from './open-pool.ts';
import type { PostgresBrokerSettings } from './options.ts';
import { channelOf } from './schema/migrations.ts';
import type { SqlClient } from './sql-client.ts';
import type { Poke } from './work-watch.ts';

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

function readNews(message: string): Poke | undefined {
  if (message === '') return undefined;
  const { ready, later } = JSON.parse(message) as Partial<Record<keyof Poke, readonly string[] | null>>; // by `tell`
  return { ready: ready ?? [], later: later ?? [] };
}
