import {
  cancelRuns,
  discardRuns,
  endRuns,
  holdLanes,
  listWorkers,
  resumeLanes,
} from '@retry/core/broker/kit';
import { createPostgresBroker, migrate } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import pg from 'pg';
import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeOnPrivatePostgres } from '../../support/servers/describe-on-postgres.ts';
import { describeOnPrivateRedis } from '../../support/servers/describe-on-redis.ts';
import type { PrivatePostgres } from '../../support/servers/postgres.ts';
import { startPrivatePostgres } from '../../support/servers/postgres.ts';
import type { PrivateRedis } from '../../support/servers/redis.ts';
import { startPrivateRedis } from '../../support/servers/redis.ts';
import { openTransactionPooler } from '../../support/servers/transaction-pooler.ts';
import { settlementOf } from '../../support/settle.ts';
import { schemaErrors } from '../output-schema.ts';
import { run } from '../run-in-memory.ts';
import { describeOnServers, type ServedQueue } from './describe-on-servers.ts';

const QUICK = ['doctor', '--json', '--watch', '200ms', '--oldest-age', '100ms'];

/** Asks the doctor. @returns the codes of what it found, and the findings */
async function diagnose(args: readonly string[], now: () => number = Date.now) {
  const { out, err, exitCode } = await run([...QUICK, ...args], { now });
  expect(err).toBe('');
  expect(schemaErrors('doctor', out)).toEqual([]);
  const { findings, isHealthy } = JSON.parse(out);
  expect({ isHealthy, exitCode }).toEqual({ isHealthy: findings.length === 0, exitCode: isHealthy ? 0 : 1 });
  for (const { cure, sentence } of findings) expect([cure, sentence]).not.toContain('');
  return { findings, codes: findings.map(({ code }: { readonly code: string }) => code) };
}

describeOnServers('retry doctor', { inPGlite: 'finds nothing wrong where nothing is' }, (queue, it) => {
  const diagnoseQueue = (now?: () => number) => diagnose(queue().args, now);
  // A private Redis of the tests has no append-only file.
  const codesOf = ({ codes }: { readonly codes: readonly string[] }) =>
    codes.filter((code) => code !== 'NO_APPEND_ONLY_FILE');
  const use: ServedQueue['use'] = (work) => queue().use(work);

  beforeEach(() =>
    use(async (broker) => {
      for (const state of ['submitted', 'failed'] as const) {
        const ids = (await broker.list({ state, limit: 1_000 })).runs.map(({ id }) => id);
        await (state === 'failed' ? discardRuns(broker, ids) : cancelRuns(broker, ids));
      }
      for (const { worker } of await listWorkers(broker))
        await broker.attend({ worker, lanes: [], ttlMs: 0 });
    }),
  );

  it('finds nothing wrong where nothing is', async () => {
    expect(codesOf(await diagnoseQueue())).toEqual([]);
  });

  it('finds a lane without a worker, whose oldest run grows older', async () => {
    await use((broker) => broker.submit([{ id: 'lonely', lane: 'mail@1', payload: '{}' }]));

    expect(codesOf(await diagnoseQueue())).toEqual(['LANE_WITHOUT_WORKER', 'OLDEST_AGE_GROWS']);
  });

  it('finds a version that waits, where workers know another one', async () => {
    await use(async (broker) => {
      await broker.submit([{ id: 'new', lane: 'mail@2', payload: '{}' }]);
      await broker.attend({ worker: 'old', lanes: ['mail@1'], ttlMs: 600_000 });
    });

    const { findings, codes } = await diagnoseQueue();

    expect(codes).toContain('VERSION_WAITING');
    expect(findings[0].sentence).toContain('1 run is due in lane mail@2, but live workers know only mail@1.');
  });

  it('finds a lane on hold', async () => {
    await use((broker) => holdLanes(broker, [{ lane: 'mail@1', source: 'operator', reason: 'a test' }]));

    const { codes } = await diagnoseQueue();
    await use((broker) => resumeLanes(broker, [{ lane: 'mail@1' }]));

    expect(codes).toContain('LANE_ON_HOLD');
  });

  it('finds leases that have expired', async () => {
    const claimed = await use(async (broker) => {
      await broker.submit([{ id: 'lost', lane: 'mail@1', payload: '{}' }]);
      const lanes = new Map([['mail@1', 1]]);
      const claim = { worker: 'crashed', requestId: 'one', limit: 1, lanes, leaseMs: 1 };
      return (await broker.exchange({ claim })).claimed.map(({ run }) => run);
    });
    expect(claimed).toHaveLength(1);

    const { codes } = await diagnoseQueue();
    const settle = claimed.map((run) => settlementOf(run, { type: 'fail', at: Date.now() }));
    await use((broker) => broker.exchange({ settle }));

    expect(codes).toContain('EXPIRED_LEASES');
  });

  it('finds an error group that has most dead letters', async () => {
    await use(async (broker) => {
      const ids = Array.from({ length: 120 }, (_, index) => `doomed-${index}`);
      await broker.submit(ids.map((id) => ({ id, lane: 'mail@1', payload: '{}' })));
      const error = { name: 'Error', message: 'no mailbox', at: 0, epoch: 0 };
      const group = { id: 'mailbox', title: 'no mailbox' };
      await endRuns(
        broker,
        ids.map((id) => ({ id, as: 'failed', error, group })),
      );
    });

    expect((await diagnoseQueue()).codes).toContain('DOMINANT_GROUP');
  });

  it('finds a worker whose handlers can take the connection of its heartbeats', async () => {
    const facts = { slots: 3, slotsTaken: 0, leases: 0 };
    await use(async (broker) => {
      await broker.attend({ worker: 'apart', lanes: [], ttlMs: 60_000, facts });
      const shared = { ...facts, sharesHeartbeatClient: true };
      await broker.attend({ worker: 'shared', lanes: [], ttlMs: 60_000, facts: shared });
    });

    const { findings } = await diagnoseQueue();
    const found = findings.filter(({ code }: { readonly code: string }) => code === 'SHARED_HEARTBEATS');

    expect(found).toHaveLength(1);
    expect(found[0].sentence).toMatch(
      /^Worker shared renews its leases by a client that its handlers can take/,
    );
  });

  it('finds clocks that differ', async () => {
    const { findings } = await diagnoseQueue(() => Date.now() - 60_000);

    expect(findings.find(({ code }: { readonly code: string }) => code === 'CLOCK_SKEW').sentence).toMatch(
      /^The clock of the server is (59\.\d+s|60s|1m) ahead of that of this machine\.$/,
    );
  });
});

describeOnPrivateRedis('retry doctor on a Redis of its own', () => {
  let server: PrivateRedis;
  let admin: ReturnType<typeof createClient>;
  beforeAll(async () => {
    server = await startPrivateRedis();
    admin = createClient({ url: server.url });
    await admin.connect();
  });
  afterAll(async () => {
    admin.destroy();
    await server.stop();
  });

  it('finds that runs may be evicted, and that a crash loses them', async () => {
    await admin.configSet('maxmemory-policy', 'allkeys-lru');

    const { codes } = await diagnose(['--url', server.url]);
    await admin.configSet('maxmemory-policy', 'noeviction');

    expect(codes).toEqual(['MAY_EVICT', 'NO_APPEND_ONLY_FILE']);
  });

  it('finds nothing of that where the server has an append-only file', async () => {
    await admin.configSet('appendonly', 'yes');

    const { codes } = await diagnose(['--url', server.url]);
    await admin.configSet('appendonly', 'no');

    expect(codes).toEqual([]);
  });

  it.each([
    ['a command', ['&*', '+@all', '-zadd']],
    ['the channels, without which idle workers only poll', ['+@all', 'resetchannels', '&other:*']],
  ])('finds rights that are missing: %s', async (_, rules) => {
    await admin.sendCommand(['ACL', 'SETUSER', 'limited', 'reset', 'on', '>secret', '~*', ...rules]);

    const { codes, findings } = await diagnose(['--url', server.url.replace('//', '//limited:secret@')]);

    expect(codes).toEqual(['MISSING_RIGHTS']);
    expect(JSON.stringify(findings)).not.toContain('secret@');
  });

  it('finds that the server is a replica', async () => {
    const replica = await startPrivateRedis();
    const client = createClient({ url: replica.url });
    await client.connect();
    await client.replicaOf('127.0.0.1', Number(new URL(server.url).port));

    const { codes } = await diagnose(['--url', replica.url]);
    client.destroy();
    await replica.stop();

    expect(codes).toEqual(['REDIS_READ_ONLY']);
  });

  it('finds a run that was lost', async () => {
    const broker = createRedisBroker({ url: server.url, prefix: 'lossy' });
    await broker.submit([{ id: 'lost', lane: 'mail@1', payload: '{}' }]);
    await broker.close();
    // The list of its lane forgets it; its record stays.
    const lists = (await admin.keys('{lossy:*')).filter((key) => key.includes('mail@1'));
    expect(lists).toHaveLength(1);
    await admin.del(lists);

    const { codes } = await diagnose(['--url', server.url, '--prefix', 'lossy']);
    // Other tests ask about a server without any queue.
    await admin.flushAll();

    expect(codes).toContain('UNBALANCED');
  });
});

describeOnPrivatePostgres('retry doctor on a Postgres of its own', () => {
  let server: PrivatePostgres;
  let pool: pg.Pool;
  const asked = (schema: string): readonly string[] => ['--url', server.url, '--schema', schema];
  beforeAll(async () => {
    server = await startPrivatePostgres(['fsync=off', 'autovacuum=off']);
    pool = new pg.Pool({ connectionString: server.url });
    pool.on('error', () => {});
    for (const schema of ['fine', 'newer', 'lossy', 'bloated']) await migrate(pool, { schema });
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  it('finds nothing wrong where nothing is', async () => {
    expect((await diagnose(asked('fine'))).codes).toEqual([]);
  });

  it('finds a migration that is missing, and a schema of a newer version', async () => {
    await pool.query('update newer.schema_version set version = 99, serves_from = 99');

    expect((await diagnose(asked('never_migrated'))).codes).toEqual(['OLDER_SCHEMA']);
    expect((await diagnose(asked('newer'))).codes).toEqual(['NEWER_SCHEMA']);
  });

  it('finds rights that are missing', async () => {
    await pool.query("create role limited login password 'secret'; grant usage on schema fine to limited");

    const { codes, findings } = await diagnose([
      ...['--url', server.url.replace('postgres@', 'limited:secret@')],
      ...['--schema', 'fine'],
    ]);

    expect(codes).toEqual(['MISSING_RIGHTS']);
    expect(JSON.stringify(findings)).not.toContain('secret@');
  });

  it('finds that the server takes no writes', async () => {
    const url = `${server.url}?options=-c%20default_transaction_read_only%3Don`;

    expect((await diagnose(['--url', url, '--schema', 'fine'])).codes).toEqual(['READ_ONLY_SERVER']);
  });

  it('finds a database that cannot hold every payload', async () => {
    await pool.query("create database narrow encoding 'LATIN1' locale 'C' template template0");
    const url = new URL(server.url);
    url.pathname = '/narrow';

    expect((await diagnose(['--url', url.href])).codes).toEqual(['NARROW_ENCODING']);
  });

  it('finds a transaction that has been open for long', async () => {
    const client = await pool.connect();
    await client.query('begin isolation level repeatable read; select txid_current()');
    await new Promise((resolve) => setTimeout(resolve, 150));

    const { codes, findings } = await diagnose([...asked('fine'), '--long-transaction', '100ms']);
    await client.query('rollback');
    client.release();

    expect(codes).toEqual(['LONG_TRANSACTION']);
    expect(findings[0].cure).toContain('pg_terminate_backend(');
  });

  it('finds dead tuples that slow claims', async () => {
    await pool.query(
      'insert into bloated.tally select 0, 0 from generate_series(1, 60000); delete from bloated.tally where submitted = 0 and forgotten = 0',
    );
    await pool.query('select pg_stat_force_next_flush()');

    expect((await diagnose(asked('bloated'))).codes).toEqual(['DEAD_TUPLES']);
  });

  it('finds a run that was lost', async () => {
    const broker = createPostgresBroker({ client: pool, schema: 'lossy' });
    await broker.submit([{ id: 'lost', lane: 'mail@1', payload: '{}' }]);
    await broker.close();
    await pool.query("delete from lossy.ready; delete from lossy.run where id = 'lost'");

    expect((await diagnose(asked('lossy'))).codes).toContain('UNBALANCED');
  });

  it('finds that notifications do not arrive, behind a pooler', async () => {
    const pooler = await openTransactionPooler(server.url, 3);

    const { codes } = await diagnose(['--url', pooler.url, '--schema', 'fine']);
    await pooler.close();

    expect(codes).toEqual(['POLLING_ONLY']);
  });
});
