import { createPostgresBroker } from '@retry/postgres';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { hearWarnings } from '../support/hear-warnings.ts';
import { describeTwoConnections } from './two-connections.ts';

const LEASE_MS = 60_000;

/** A pool whose broker has claimed one run, and all of whose connections are then taken, as by handlers. */
async function takeAll(pool: pg.Pool, broker: ReturnType<typeof createPostgresBroker>) {
  await broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]);
  const lanes = new Map([['l', 1]]);
  await broker.exchange({
    claim: { worker: 'w', requestId: 'r', limit: 1, lanes, leaseMs: LEASE_MS },
  });
  const max = pool.options.max ?? 1;
  const taken = await Promise.all(Array.from({ length: max }, () => pool.connect()));
  return {
    heartbeat: () => broker.heartbeat([{ id: 'a', epoch: 1 }], LEASE_MS),
    giveBack: async () => {
      for (const connection of taken) connection.release();
      await broker.close();
      await pool.end();
    },
  };
}

describeTwoConnections("heartbeats over a user's pool", (open) => {
  const openBroker = (client: pg.Pool, onError?: (error: unknown) => void) =>
    createPostgresBroker({ client, schema: open().schema.name, listen: false, onError });

  it.each([1, 3])('are answered while handlers have all %i of its connections', async (max) => {
    const pool = new pg.Pool({ connectionString: open().url, max });
    const { heartbeat, giveBack } = await takeAll(pool, openBroker(pool));

    expect(await heartbeat()).toEqual(['ok']);
    expect(await heartbeat()).toEqual(['ok']);

    await giveBack();
  });

  it('connect by every option of it, also those that are not printed, and by its class of clients', async () => {
    const { hostname, port, username, pathname } = new URL(open().url);
    const connected: string[] = [];
    class Client extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        super(config);
        connected.push(`${config?.user}:${config?.password}@${config?.database}`);
      }
    }
    const pool = new pg.Pool({
      ...{
        host: hostname,
        port: Number(port),
        database: pathname.slice(1),
        user: decodeURIComponent(username),
      },
      ...{ password: 'secret', max: 1, Client },
    } as pg.PoolConfig); // the class is an option that the types do not have
    const { heartbeat, giveBack } = await takeAll(pool, openBroker(pool));

    expect(await heartbeat()).toEqual(['ok']);
    expect(connected).toHaveLength(2);
    expect(connected[1]).toBe(connected[0]);
    expect(connected[0]).toContain(':secret@');

    await giveBack();
  });

  it('connect by the class of pg if the pool is of a class of the user', async () => {
    class Named extends pg.Pool {
      constructor(_name: string, config: pg.PoolConfig) {
        super(config);
      }
    }
    const pool = new Named('handlers', { connectionString: open().url, max: 1 });
    const { heartbeat, giveBack } = await takeAll(pool, openBroker(pool));

    expect(await heartbeat()).toEqual(['ok']);

    await giveBack();
  });

  it('have sessions that the pool prepares, and transactions of the level that calls need', async () => {
    const pool = new pg.Pool({
      ...{ connectionString: open().url, max: 1 },
      options: '-c default_transaction_isolation=serializable',
    });
    const warnings = hearWarnings(); // pg deprecates that a pool prepares sessions so
    const prepared: unknown[] = [];
    pool.on('connect', (client) => {
      prepared.push(client.query("set application_name = 'prepared'"));
    });
    const { heartbeat, giveBack } = await takeAll(pool, openBroker(pool));

    expect(await heartbeat()).toEqual(['ok']);
    expect(prepared).toHaveLength(2);
    for (const warning of warnings) expect(warning).toMatch(/^DeprecationWarning: .*client\.query/);

    await giveBack();
  });

  it('close their connection with the broker', async () => {
    const name = `own-${Math.random()}`.slice(0, 20);
    const pool = new pg.Pool({ connectionString: open().url, max: 1, application_name: name });
    const broker = openBroker(pool);
    const { heartbeat, giveBack } = await takeAll(pool, broker);
    const connections = async (): Promise<number> => {
      const counted = 'select from pg_stat_activity where application_name = $1';
      return (await open().pool.query(counted, [name])).rowCount ?? 0;
    };

    await heartbeat();
    const before = await connections();
    await broker.close();

    expect(before).toBe(2);
    await expect.poll(connections).toBe(1);
    await giveBack();
  });

  it('go over the pool where no other connection comes about, and report it', async () => {
    let opened = 0;
    class Client extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        opened += 1;
        super(opened === 1 ? config : { ...config, connectionString: 'postgres://nobody@127.0.0.1:1/none' });
      }
    }
    const errors: unknown[] = [];
    const pool = new pg.Pool({ connectionString: open().url, max: 1, Client } as pg.PoolConfig); // as above
    const { heartbeat, giveBack } = await takeAll(
      pool,
      openBroker(pool, (error) => errors.push(error)),
    );

    const answers = heartbeat();
    await vi.waitFor(() => expect(pool.waitingCount).toBe(1), { timeout: 20_000 });
    await giveBack();

    expect(await answers).toEqual(['ok']);
    expect(errors).toMatchObject([{ code: 'ECONNREFUSED' }]);
  });
});
