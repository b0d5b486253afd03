import { InvalidOptionsError } from '@retry/core';
import type { Begin } from '@retry/inprocess/transactions';
import { postgresTransactions, retryTransaction, sqliteTransactions } from '@retry/inprocess/transactions';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { openProxy } from '../support/tcp-proxy.ts';

const FAST = { backoff: { type: 'none' } } as const;

/** A client whose transaction ends as the errors say: each of one attempt, before the COMMIT or at it. */
function failing(
  errors: readonly { readonly at: 'begin' | 'commit'; readonly error: unknown }[],
): Begin<string> {
  const left = [...errors];
  return async (run) => {
    const next = left.shift();
    if (next?.at === 'begin') throw next.error;
    const result = await run('tx');
    if (next !== undefined) throw next.error;
    return result;
  };
}

function error(code: string): Error {
  return Object.assign(new Error(code), { code });
}

async function attemptsOf(
  begin: Begin<string>,
  ...rest: [policy?: object, options?: object]
): Promise<readonly [attempts: number, outcome: unknown]> {
  let attempts = 0;
  const body = (): number => {
    attempts += 1;
    return attempts;
  };
  const outcome = await retryTransaction(begin, body, { ...FAST, ...rest[0] }, rest[1]).catch(
    (thrown) => thrown,
  );
  return [attempts, outcome];
}

describe('retryTransaction', () => {
  it.each(['40001', '40P01', 'ER_LOCK_DEADLOCK', 'SQLITE_BUSY_SNAPSHOT'])(
    'repeats the whole transaction after %s, also at COMMIT',
    async (code) => {
      expect(await attemptsOf(failing([{ at: 'commit', error: error(code) }]))).toEqual([2, 2]);
    },
  );

  it('repeats a transaction whose connection broke before the COMMIT was sent', async () => {
    let attempts = 0;
    const begin: Begin<string> = (run) => run('tx');

    const result = await retryTransaction(
      begin,
      async () => {
        attempts += 1;
        if (attempts === 1) throw error('ECONNRESET');
        return 'done';
      },
      FAST,
    );

    expect([attempts, result]).toEqual([2, 'done']);
  });

  it('does not repeat a COMMIT whose answer was lost', async () => {
    const lost = error('ECONNRESET');

    expect(await attemptsOf(failing([{ at: 'commit', error: lost }]))).toEqual([1, lost]);
  });

  it('repeats it where the policy says that this is idempotent', async () => {
    const begin = failing([{ at: 'commit', error: error('ECONNRESET') }]);

    expect(await attemptsOf(begin, { idempotent: true })).toEqual([2, 2]);
  });

  it.each([
    ['resolves where it was applied', true, [1, 1]],
    ['repeats it where it was not', false, [2, 2]],
  ])('asks the probe, and %s', async (_, isApplied, expected) => {
    const begin = failing([{ at: 'commit', error: error('57P01') }]);
    const asked: unknown[] = [];
    const committed = async (result: unknown): Promise<boolean> => {
      asked.push(result);
      return isApplied;
    };

    expect(await attemptsOf(begin, {}, { committed })).toEqual(expected);
    expect(asked).toEqual([1]);
  });

  it('ends with the error of the COMMIT where the probe fails', async () => {
    const lost = error('ECONNRESET');
    const committed = async (): Promise<boolean> => {
      throw new Error('no answer');
    };

    expect(await attemptsOf(failing([{ at: 'commit', error: lost }]), {}, { committed })).toEqual([1, lost]);
  });

  it('does not ask the probe about a transaction that was rolled back', async () => {
    const committed = (): boolean => {
      throw new Error('asked');
    };

    expect(await attemptsOf(failing([{ at: 'commit', error: error('40001') }]), {}, { committed })).toEqual([
      2, 2,
    ]);
  });

  it('throws an error that no list names at once', async () => {
    const duplicate = error('23505');

    expect(await attemptsOf(failing([{ at: 'commit', error: duplicate }]))).toEqual([1, duplicate]);
  });

  it('obeys the gate of the policy', async () => {
    const begin = failing([{ at: 'commit', error: error('40001') }]);

    expect((await attemptsOf(begin, { retryIf: () => false }))[0]).toBe(1);
  });

  it('refuses what is no function', async () => {
    await expect(retryTransaction({} as never, () => 1)).rejects.toThrow(InvalidOptionsError);
    await expect(
      retryTransaction(
        (run) => run(1),
        () => 1,
        {},
        { committed: 5 } as never,
      ),
    ).rejects.toThrow('committed');
  });
});

describe('sqliteTransactions', () => {
  it('rolls back, and throws the error of the transaction', async () => {
    const said: string[] = [];
    const database = {
      exec(text: string): void {
        said.push(text);
        if (text === 'COMMIT' && said.length < 4) throw error('SQLITE_BUSY');
        if (text === 'ROLLBACK') throw new Error('no transaction is active');
      },
    };

    await retryTransaction(sqliteTransactions(database), () => 1, FAST);

    expect(said).toEqual(['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK', 'BEGIN IMMEDIATE', 'COMMIT']);
  });
});

describeOnPostgres('retryTransaction, on Postgres', (server) => {
  let admin: pg.Pool;
  let proxy: TcpProxy;
  let pool: pg.Pool;
  beforeEach(async () => {
    const { port, pathname, username } = new URL(server().url);
    admin = new pg.Pool({ connectionString: server().url });
    await admin.query(
      'drop table if exists moves; create table moves (id text primary key, n int); insert into moves values ($$a$$, 0)',
    );
    proxy = await openProxy(Number(port));
    pool = new pg.Pool({
      host: '127.0.0.1',
      port: proxy.port,
      database: pathname.slice(1),
      user: username,
      max: 2,
    });
    pool.on('error', () => {});
  });
  afterEach(async () => {
    await pool.end();
    await proxy.close();
    await admin.end();
  });

  const count = async (): Promise<unknown> => (await admin.query('select n from moves')).rows[0]?.n;

  it('repeats what was not serializable, through pg, Kysely and Drizzle', async () => {
    const kysely = new Kysely<{ moves: { id: string; n: number } }>({
      dialect: new PostgresDialect({ pool }),
    });
    const drizzled = drizzle(pool);
    let isFirst = true;
    const disturb = async (): Promise<void> => {
      if (isFirst) await admin.query('update moves set n = n + 1');
      isFirst = false;
    };

    await retryTransaction(postgresTransactions(pool, 'BEGIN ISOLATION LEVEL SERIALIZABLE'), async (tx) => {
      await tx.query('select * from moves');
      await disturb();
      await tx.query('update moves set n = n + 10');
    });
    isFirst = true;
    await retryTransaction(
      (run) => kysely.transaction().setIsolationLevel('serializable').execute(run),
      async (tx: typeof kysely) => {
        await tx.selectFrom('moves').selectAll().execute();
        await disturb();
        await sql`update moves set n = n + 10`.execute(tx);
      },
    );
    isFirst = true;
    await retryTransaction(
      (run) => drizzled.transaction(run, { isolationLevel: 'serializable' }),
      async (tx: Pick<typeof drizzled, 'execute'>) => {
        await tx.execute('select * from moves');
        await disturb();
        await tx.execute('update moves set n = n + 10');
      },
    );

    expect(await count()).toBe(33);
  });

  it('never applies a transaction twice whose COMMIT lost its answer, and replaces the client', async () => {
    const begin = postgresTransactions(pool);
    const move = (): Promise<void> =>
      retryTransaction(begin, async (tx) => {
        await tx.query('update moves set n = n + 1');
      });
    proxy.loseReplyTo('COMMIT');

    await expect(move()).rejects.toThrow('Connection terminated');
    await move();

    expect(await count()).toBe(2);
    expect(proxy.lost()).toBe(1);
  });

  it('asks the probe what became of the COMMIT', async () => {
    proxy.loseReplyTo('COMMIT');
    const committed = async (): Promise<boolean> => (await count()) === 1;

    await retryTransaction(
      postgresTransactions(pool),
      async (tx) => {
        await tx.query('update moves set n = n + 1');
      },
      {},
      { committed },
    );

    expect(await count()).toBe(1);
  });

  it('repeats a transaction whose connection broke in a statement', async () => {
    proxy.loseReplyTo('update moves');

    await retryTransaction(postgresTransactions(pool), async (tx) => {
      await tx.query('update moves set n = n + 1');
    });

    expect(await count()).toBe(1);
  });
});
