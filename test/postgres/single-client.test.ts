import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker, transaction } from '@retry/postgres';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { channelOf } from '../../packages/postgres/src/schema/migrations.ts';
import { passTime } from '../support/pass-time.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import type { TestSchema } from './open-broker.ts';
import { lendTestSchema, openPool } from './open-broker.ts';

describeOnPostgres('a single client of pg', (server) => {
  let client: pg.Client;
  let schema: TestSchema;
  beforeEach(async () => {
    client = new pg.Client({ connectionString: server().url });
    client.on('error', () => {});
    await client.connect();
    schema = await lendTestSchema(client);
  });
  afterEach(async () => {
    await schema.drop();
    await client.end();
  });

  const open = (by: SqlClient = client) => createPostgresBroker({ client: by, schema: schema.name });
  const task = defineTask({ name: 'task', run: (given: number) => given + 1 });

  /** Has a worker wait for work and a caller for its result, so that both want notifications. */
  const work = async (broker: ReturnType<typeof open>): Promise<number> => {
    const worker = createWorker({ broker, tasks: [task], signals: [], leaseRenewal: 'loop' });
    worker.start();
    await passTime(20);
    const result = await createQueue({ broker }).submitAndWait(task, 1, { timeout: '20s' });
    await worker.stop();
    return result;
  };

  /** Counts how many statements the client has at the same time, which version 9 of pg refuses. */
  const countStatements = (): { readonly most: () => number } => {
    const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
    let underWay = 0;
    let most = 0;
    const counting = async (...given: unknown[]): Promise<unknown> => {
      underWay += 1;
      most = Math.max(most, underWay);
      return query(...given).finally(() => {
        underWay -= 1;
      });
    };
    Object.assign(client, { query: counting });
    return { most: () => most };
  };

  it('gets one statement at a time of all brokers that use it, LISTEN included', async () => {
    const { most } = countStatements();
    const brokers = [open(), open()];

    const results = await Promise.all(brokers.map(work));
    await Promise.all(brokers.map((broker) => broker.close()));

    expect(results).toEqual([2, 2]);
    expect(most()).toBe(1);
  });

  it('gets one statement at a time of a transaction whose statements are sent together', async () => {
    const { most } = countStatements();
    const queue = createQueue({ broker: open() });

    await transaction(client, (tx) =>
      Promise.all([
        ...[1, 2, 3].map((given) => queue.submit(task, given, { tx })),
        ...[1, 2, 3].map(() => tx.query('select 1')),
      ]),
    );
    await client.query('begin');
    await Promise.all([1, 2, 3].map((given) => queue.submit(task, given, { tx: client })));
    await client.query('commit');

    expect(most()).toBe(1);
    expect((await queue.counts()).created).toBe(6);
  });

  describe('of brokers that are closed', () => {
    const EVENTS = ['notification', 'error', 'end'] as const;
    const listeners = (by: pg.ClientBase = client) => EVENTS.map((event) => by.listenerCount(event));
    const channels = async (by: pg.ClientBase = client): Promise<unknown> =>
      (await by.query('select array_agg(channel) as all from pg_listening_channels() as channel')).rows[0]
        ?.all;

    it('keeps neither listeners nor channels', async () => {
      const before = listeners();

      for (let opened = 0; opened < 12; opened += 1) {
        const broker = open();
        await work(broker);
        await broker.close();
      }

      expect(listeners()).toEqual(before);
      expect(await channels()).toBeNull();
    });

    it('keeps a channel to which another broker still listens', async () => {
      const [first, second] = [open(), open()];
      await Promise.all([work(first), work(second)]);

      await first.close();
      const during = await channels();
      await second.close();

      expect(during).toEqual([channelOf(schema.name)]);
      expect(await channels()).toBeNull();
    });

    it('keeps the channel if the next broker is opened meanwhile', async () => {
      const first = open();
      await work(first);
      const second = open();

      await Promise.all([first.close(), work(second)]);
      const during = await channels();
      await second.close();

      expect(during).toEqual([channelOf(schema.name)]);
    });

    it('is not given back to the pool that lent it to the user', async () => {
      const pool = openPool(server().url, 2);
      const lent = await pool.connect();
      const broker = open(lent);
      await work(broker);

      await broker.close();

      expect(await channels(lent)).toBeNull();
      expect(() => lent.release()).not.toThrow();
      await pool.end();
    });

    it('may have ended before them', async () => {
      const own = new pg.Client({ connectionString: server().url });
      await own.connect();
      const broker = open(own);
      await work(broker);

      await own.end();
      await broker.close();

      expect(listeners(own)).toEqual([0, 0, 0]);
    });
  });
});
