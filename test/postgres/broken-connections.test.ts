import type { PostgresBroker } from '@retry/postgres';
import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import type { PrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { openProxy } from '../support/tcp-proxy.ts';
import { openPool } from './open-broker.ts';

describeOnPrivatePostgres('a connection that breaks', () => {
  let server: PrivatePostgres;
  let admin: pg.Pool;
  beforeAll(async () => {
    server = await startPrivatePostgres(['fsync=off']);
    admin = openPool(server.url, 2);
    await migrate(admin);
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  /** Returns a URL whose connections can be told from others. */
  const urlOf = (name: string, options = ''): string =>
    `${server.url}?application_name=${name}&options=${encodeURIComponent(options)}`;

  /** Ends the connections of that name whose latest statement is like this one. @returns how many they were */
  const breakConnections = async (name: string, statement = '%'): Promise<number> => {
    const text =
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and query like $2';
    return (await admin.query(text, [name, statement])).rows.length;
  };

  it.each(['url', 'pool'])(
    'within a call that has its own isolation level ends no process, by a %s',
    async (kind) => {
      const name = `strict_${kind}`;
      const url = urlOf(name, '-c default_transaction_isolation=serializable');
      const pool = openPool(url, 2);
      const broker = createPostgresBroker({
        ...(kind === 'url' ? { url } : { client: pool }),
        listen: false,
        onError: () => {},
      });
      await broker.ready();
      const tx = await admin.connect();
      await tx.query('begin');
      await tx.query('lock table retry.run');

      const reading = broker.get(['a']);
      await vi.waitFor(async () => expect(await breakConnections(name, '%get_runs%')).toBe(1), 20_000);
      await passTime(50);
      await tx.query('commit');
      tx.release();

      expect(await reading).toEqual([undefined]);
      expect(pool.idleCount).toBe(pool.totalCount);
      await broker.close();
      await pool.end();
    },
  );

  it.each(['url', 'pool'])('holds up no close while the server answers nothing, by a %s', async (kind) => {
    const proxy = await openProxy(Number(new URL(server.url).port));
    const url = new URL(server.url);
    url.port = String(proxy.port);
    const pool = openPool(url.href, 2);
    const given = kind === 'url' ? { url: url.href } : { client: pool };
    const broker = createPostgresBroker({ ...given, onError: () => {} });
    await broker.wait({ lanes: ['mail@1'], timeoutMs: 50 });
    proxy.stayDeaf(); // a call of the wait may be under way, so that the next one opens a connection
    const submitting = broker.submit([{ id: 'a', lane: 'mail@1', payload: '{}' }]).catch(codeOf);

    await broker.close();

    const answers = [broker.get(['a']).catch(codeOf), ...(kind === 'url' ? [submitting] : [])];
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['BROKER_CLOSED']));
    await proxy.close();
    await submitting;
    await pool.end();
  });

  describe("of a user's pool, while no call uses it", () => {
    const open = (name: string): pg.Pool => new pg.Pool({ connectionString: urlOf(name), max: 2 });

    it('ends no process, and is reported to the onError of the broker', async () => {
      const pool = open('idle');
      const onError = vi.fn();
      const broker = createPostgresBroker({ client: pool, listen: false, onError });
      await broker.ready();

      await breakConnections('idle');
      await vi.waitFor(() => expect(onError).toHaveBeenCalled(), 20_000);
      const read = await broker.get(['a']);
      await broker.close();
      await pool.end();

      expect(onError.mock.calls.map(([error]) => String(error))).toEqual([
        'error: terminating connection due to administrator command',
      ]);
      expect(read).toEqual([undefined]);
    });

    it('is one process warning, unless the user listens', async () => {
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      for (const name of ['unheard', 'heard']) {
        const pool = open(name);
        const onError = vi.fn();
        const brokers = [1, 2].map(() => createPostgresBroker({ client: pool, listen: false }));
        if (name === 'heard') pool.on('error', onError);
        await brokers[0]?.ready();

        await breakConnections(name);
        await vi.waitFor(() => expect(pool.totalCount).toBe(0), 20_000);

        expect([onError.mock.calls.length, warn.mock.calls.length]).toEqual(
          name === 'heard' ? [1, 1] : [0, 1],
        );
        await Promise.all(brokers.map((broker) => broker.close()));
        await pool.end();
      }
      warn.mockRestore();
    });

    it('is listened for once, however many brokers there are, until the last one closes', async () => {
      const pool = open('many');
      const brokers = Array.from({ length: 20 }, () => createPostgresBroker({ client: pool }));

      const count = pool.listenerCount('error');
      for (const broker of brokers.slice(1)) await broker.close();
      const countOfOne = pool.listenerCount('error');
      await Promise.all([brokers[0]?.close(), brokers[0]?.close()]);
      const countOfNone = pool.listenerCount('error');
      await pool.end();

      expect([count, countOfOne, countOfNone]).toEqual([1, 1, 0]);
    });
  });

  describe('for notifications', () => {
    /** A port at which no server is. */
    const NOWHERE = 1;
    const wait = (broker: PostgresBroker) => broker.wait({ lanes: ['l'], timeoutMs: 500 });

    it('is replaced, also if no server was there at first or again', async () => {
      const proxy = await openProxy(NOWHERE);
      const url = new URL(urlOf('listening'));
      const port = Number(url.port);
      url.port = `${proxy.port}`;
      const broker = createPostgresBroker({ url: url.href, onError: () => {} });
      const text = `select from pg_stat_activity where application_name = 'listening' and query like 'listen%'`;
      const untilListening = () =>
        vi.waitFor(async () => {
          await wait(broker);
          expect((await admin.query(text)).rowCount).toBe(1);
        }, 30_000);

      for (let time = 0; time < 2; time += 1) {
        proxy.aimAt(NOWHERE);
        for (let waits = 0; waits < 5; waits += 1) await wait(broker);
        proxy.aimAt(port);
        await untilListening();
      }

      await broker.close();
      await proxy.close();
    });

    it('is given back to the pool if the server refuses to listen, and asked for rarely', async () => {
      const pool = openPool(server.url, 2);
      let refused = 0;
      const client = new Proxy(pool, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key);
          if (key !== 'connect') return typeof value === 'function' ? value.bind(target) : value;
          return async () => {
            const lent = await pool.connect();
            const query = lent.query.bind(lent) as (...given: unknown[]) => unknown;
            const refuse = (...given: unknown[]): unknown => {
              if (!String(given[0]).startsWith('listen ')) return query(...given);
              refused += 1;
              return Promise.reject(new Error('cannot execute LISTEN during recovery'));
            };
            return Object.assign(lent, { query: refuse });
          };
        },
      });
      const broker = createPostgresBroker({ client });

      for (let waits = 0; waits < 5; waits += 1) await broker.wait({ lanes: ['l'], timeoutMs: 50 });
      await broker.close();
      await pool.end();

      expect(refused).toBe(1);
    });
  });
});

const codeOf = ({ code }: { readonly code?: string }): unknown => code;
