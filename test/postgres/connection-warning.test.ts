import { randomUUID } from 'node:crypto';
import type { PostgresBrokerOptions } from '@retry/postgres';
import { createPostgresBroker, migrate } from '@retry/postgres';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import {
  createConnectionWarning,
  withoutThrowing,
} from '../../packages/postgres/src/driver/connection-warning.ts';
import type { PgDriver } from '../../packages/postgres/src/driver/open-pool.ts';
import { openPool as openOwnPool } from '../../packages/postgres/src/driver/open-pool.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { openPool } from './open-broker.ts';

const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
afterEach(() => {
  warn.mockClear();
  vi.useRealTimers();
});
afterAll(() => warn.mockRestore());

describeOnPostgres('an idle connection of a Postgres broker that breaks', (server) => {
  const name = `warning_${randomUUID().slice(0, 8)}`;
  let pool: pg.Pool;
  beforeAll(async () => {
    pool = openPool(server().url, 1);
    await migrate(pool, { schema: name });
  });
  afterAll(async () => {
    await pool.query(`drop schema ${name} cascade`);
    await pool.end();
  });

  /** Ends the idle connections of a broker, and returns when it had time to notice. */
  async function breakConnections(options: Pick<PostgresBrokerOptions, 'onError'>, noticed: () => void) {
    const url = new URL(server().url);
    url.searchParams.set('application_name', name);
    const broker = createPostgresBroker({ url: url.href, schema: name, listen: false, ...options });
    await Promise.all([broker.audit(), broker.audit()]);
    await pool.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
      name,
    ]);
    await vi.waitFor(noticed, { timeout: 20_000 });
    await broker.audit();
    await broker.close();
  }

  it('emits one process warning with its cause and cure when no onError is given', async () => {
    await breakConnections({}, () => expect(warn).toHaveBeenCalled());

    expect(warn.mock.calls).toEqual([
      [
        'a connection to Postgres failed: terminating connection due to administrator command',
        {
          type: 'RetryWarning',
          code: 'RETRY_UNHANDLED_ERROR',
          detail: 'It is replaced when needed. Check the server, or pass an onError to createPostgresBroker.',
        },
      ],
    ]);
  });

  it('is replaced when onError throws or rejects, which is a process warning', async () => {
    const onError = vi
      .fn(() => Promise.reject(new Error('async')))
      .mockImplementationOnce(() => {
        throw new Error('sync');
      });

    await breakConnections({ onError }, () => expect(warn).toHaveBeenCalledTimes(2));

    expect(warn.mock.calls).toMatchObject(
      ['sync', 'async'].map((text) => [
        'the onError of createPostgresBroker threw',
        { code: 'RETRY_UNHANDLED_ERROR', detail: expect.stringContaining(text) },
      ]),
    );
  });

  it('emits no process warning when onError is given', async () => {
    const onError = vi.fn();

    await breakConnections({ onError }, () => expect(onError).toHaveBeenCalled());

    expect(warn).not.toHaveBeenCalled();
  });
});

it('warns again after a minute where the clock of the machine was set back', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const onError = createConnectionWarning();
  onError(new Error('first'));
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(60_000);

  onError(new Error('second'));

  expect(warn).toHaveBeenCalledTimes(2);
});

it('warns at most once a minute, and shows the first of the errors of several addresses', () => {
  const now = vi.fn(() => 0);
  const warnOf = createConnectionWarning(now);

  warnOf(new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:1'), new Error('x')]));
  now.mockReturnValue(59_999);
  warnOf(new Error('second'));
  now.mockReturnValue(60_000);
  warnOf('third');

  expect(warn.mock.calls.map(([message]) => message)).toEqual([
    'a connection to Postgres failed: connect ECONNREFUSED 127.0.0.1:1',
    'a connection to Postgres failed: third',
  ]);
});

it.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
  ['rejects', () => Promise.reject(new Error('broken'))],
])('warns at most once a minute of an onError that %s', async (_, broken) => {
  const now = vi.fn(() => 0);
  const onError = withoutThrowing(broken, now);
  const errorAt = async (at: number): Promise<void> => {
    now.mockReturnValue(at);
    onError(new Error('connect ECONNREFUSED'));
    await new Promise((resolve) => setImmediate(resolve));
  };

  for (const at of [0, 1, 59_999]) await errorAt(at);
  const warnedIn1st = warn.mock.calls.length;
  for (const at of [60_000, 60_001]) await errorAt(at);

  expect(warnedIn1st).toBe(1);
  expect(warn.mock.calls.map(([message]) => message)).toEqual(
    Array(2).fill('the onError of createPostgresBroker threw'),
  );
});

it('warns without the password of the URL', async () => {
  const on = (_event: 'error', listener: (error: Error) => void): void =>
    listener(new Error('no answer from postgres://app:s3cr3t@db:5432/shop'));
  const query = async () => ({ rows: [] });
  class Pool {
    readonly on = on;
    readonly query = query;
  }
  const load = async (): Promise<PgDriver> => ({ Pool }) as unknown as PgDriver; // what of it is called here
  const pool = openOwnPool('postgres://app:s3cr3t@db:5432/shop', 1, createConnectionWarning(), load);

  await pool.query('select 1').catch(() => undefined);

  expect(warn).toHaveBeenCalledTimes(1);
  expect(String(warn.mock.calls[0]?.[0])).not.toContain('s3cr3t');
});
