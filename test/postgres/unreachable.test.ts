import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createPostgresBroker } from '@retry/postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** What a call of a broker that reaches no server rejects with. */
async function errorOf(options: Parameters<typeof createPostgresBroker>[0]): Promise<unknown> {
  const broker = createPostgresBroker({ ...options, onError: () => {} });
  const error: unknown = await broker.get(['a']).catch((thrown: unknown) => thrown);
  await broker.close();
  return error;
}

describe('a Postgres server that is not reached', () => {
  let silent: Server;
  let port: number;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    silent = createServer((socket) => sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    port = (silent.address() as { readonly port: number }).port;
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it.each([
    [
      'no server is at the address',
      'postgres://ada:hush@127.0.0.1:1/app',
      /connect ECONNREFUSED 127\.0\.0\.1:1\./,
    ],
    ['the name is unknown', 'postgres://ada:hush@no-host.invalid/app', /getaddrinfo E\w+ no-host\.invalid\./],
  ])('is an error of our own, with that of the connection as its cause, where %s', async (_, url, reason) => {
    const error = await errorOf({ url });

    expect(error).toMatchObject({ name: 'PostgresBrokerError', code: 'POSTGRES_UNREACHABLE' });
    expect(error).toMatchObject({ cause: { message: expect.any(String), syscall: expect.any(String) } });
    expect(String(error)).toMatch(/the Postgres server was not reached: /);
    expect(String(error)).toMatch(reason);
    expect(String(error)).not.toContain('hush');
  });

  it('is given up after the connect_timeout of the URL, where it accepts a connection and says nothing', async () => {
    const error = await errorOf({ url: `postgres://ada:hush@127.0.0.1:${port}/app?connect_timeout=1` });

    expect(error).toMatchObject({ code: 'POSTGRES_UNREACHABLE' });
    expect(String(error)).toContain('it did not answer in time. Start it, or correct the url or the client.');
  });

  it('is the same by a pool of the user, which waits for as long as its own option says', async () => {
    const url = `postgres://ada:hush@127.0.0.1:${port}/app`;
    const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 200 });

    const error = await errorOf({ client: pool, listen: false });
    await pool.end();

    expect(error).toMatchObject({ code: 'POSTGRES_UNREACHABLE' });
  });
});
