import { createClient } from 'redis';

/** The connections of this file, by url: another client with other options would make the driver build its commands anew. */
const CONNECTIONS = new Map<string, Promise<Connection>>();

type Connection = ReturnType<typeof openConnection> extends Promise<infer Client> ? Client : never;

/** Removes the keys of one prefix from a server that others may use as well. */
export async function removeKeys(url: string, prefix: string): Promise<void> {
  // A cluster is private and ends with its tests.
  if (url === '') return;
  const connection = CONNECTIONS.get(url) ?? openConnection(url);
  CONNECTIONS.set(url, connection);
  const client = await connection;
  for await (const keys of client.scanIterator({ MATCH: `{${prefix}:*`, COUNT: 1_000 })) {
    if (keys.length > 0) await client.unlink(keys);
  }
}

/** Opens a connection that ends with its server, and that keeps no process alive. */
async function openConnection(url: string) {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => CONNECTIONS.delete(url));
  await client.connect();
  client.unref();
  return client;
}
