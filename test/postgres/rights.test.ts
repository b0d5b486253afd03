import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPostgresBroker, migrate } from '@retry/postgres';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeBrokerContract } from '../contract/describe-broker-contract.ts';
import { passTime } from '../support/pass-time.ts';
import { root } from '../support/repository.ts';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import type { PrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { settlementOf } from '../support/settle.ts';
import { emptyTables, openPool } from './open-broker.ts';

/** Returns the grants of the docs, for the role `app`. */
function readGrants(): string {
  const docs = readFileSync(join(root, 'docs/postgres.md'), 'utf8');
  return /```sql\n(grant [\s\S]*?)```/.exec(docs)?.[1] ?? '';
}

describeOnPrivatePostgres('a role with the rights that docs/postgres.md lists', () => {
  let server: PrivatePostgres;
  let admin: pg.Pool;
  let url: string;
  beforeAll(async () => {
    server = await startPrivatePostgres(['fsync=off']);
    admin = openPool(server.url, 2);
    await admin.query('revoke all on schema public from public');
    await admin.query('create role app login; create role stranger login');
    await migrate(admin);
    await admin.query(readGrants());
    url = server.url.replace('postgres@', 'app@');
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
  });

  describe('passes the broker contract', () => {
    describeBrokerContract('the Postgres broker', {
      open: async (options) => {
        const broker = createPostgresBroker({ keepCompleted: { count: Infinity }, ...options, url });
        const close = async (): Promise<void> => {
          await broker.close();
          await emptyTables(admin, 'retry');
        };
        return { broker, advance: passTime, close };
      },
      isConcurrent: false,
      everyNth: 10,
    });
  });

  it('works with a queue', async () => {
    const broker = createPostgresBroker({ url });
    const task = defineTask({ name: 'work', run: (value: number) => value + 1 });
    const queue = createQueue({ broker });
    const worker = createWorker({ broker, tasks: [task], signals: [] });
    worker.start();
    const { id } = await queue.submit(task, 1);

    expect(await queue.waitForResult(id)).toBe(2);
    await worker.stop();
    await broker.close();
  });

  it('cannot change the schema', async () => {
    const pool = openPool(url, 1);

    await expect(pool.query('drop table retry.run')).rejects.toThrow('must be owner');
    await expect(pool.query('create table retry.other ()')).rejects.toThrow('permission denied');
    await pool.end();
  });

  it('is named in the error where a role lacks them, and nothing is refused for good', async () => {
    const broker = createPostgresBroker({ url: server.url.replace('postgres@', 'stranger@') });

    const error: unknown = await broker.audit().catch((reason: unknown) => reason);

    expect(error).toMatchObject({ code: 'MISSING_RIGHTS', name: 'PostgresBrokerError' });
    expect(String(error)).toContain('grant usage on schema "retry" to <role>;');
    expect(broker.isRefusal(error)).toBe(false);
    await broker.close();
  });

  it('says by onError that it may not forget what is kept for a time, and still finds what has expired', async () => {
    const errors: unknown[] = [];
    await using broker = createPostgresBroker({
      url,
      keepDead: { for: 1 },
      onError: (error) => errors.push(error),
    });
    await broker.submit(['dead', 'expired'].map((id) => ({ id, lane: 'kept', payload: '1' })));
    const claim = { worker: 'w', requestId: 'r', limit: 2, lanes: new Map([['kept', 2]]), leaseMs: 1 };
    const { claimed, now: at } = await broker.exchange({ claim });
    const settle = claimed.slice(0, 1).map(({ run }) => settlementOf(run, { type: 'fail', at }));
    await broker.exchange({ settle });
    await passTime(20);
    await admin.query('revoke delete on retry.run from app');

    const found = await broker.findExpired(10).finally(() => admin.query('grant delete on retry.run to app'));

    expect(found.map(({ id }) => id)).toEqual(['expired']);
    expect(errors).toMatchObject([
      { code: 'FORGETTING_FAILED', message: expect.stringContaining('permission denied for table run') },
    ]);
    await broker.findExpired(10);
    expect([errors.length, (await broker.get(['dead']))[0]]).toEqual([1, undefined]);
    await emptyTables(admin, 'retry');
  });
});
