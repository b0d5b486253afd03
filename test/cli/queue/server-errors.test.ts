import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { RedisBrokerError } from '@retry/redis-queue';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../support/repository.ts';
import { describeOnPostgres } from '../../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../../support/servers/describe-on-redis.ts';
import { run } from '../run-in-memory.ts';

let folder = '';
beforeAll(() => {
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'retry-cli-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'retry.config.js'),
    'export default () => ({ broker: globalThis.retryTestBroker });',
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A broker whose every call fails. */
function failing(error: unknown): Broker {
  const fail = (): Promise<never> => Promise.reject(error);
  return new Proxy(createMemoryBroker(), {
    get: (broker, key) =>
      key === 'close' || typeof Reflect.get(broker, key) !== 'function' ? Reflect.get(broker, key) : fail,
  });
}

function serverError(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

/** What a server or its driver throws, and what is said of it behind the name of the server. */
const ERRORS: readonly (readonly [error: unknown, code: string, says: string])[] = [
  [
    serverError('password authentication failed for user "app"', '28P01'),
    'SERVER_REFUSED',
    'refused this: password authentication failed for user "app". Correct it on the server, or correct ',
  ],
  [serverError('permission denied for schema retry', '42501'), 'SERVER_REFUSED', 'refused this: permission'],
  [
    new Error('Failed query', {
      cause: serverError('canceling statement due to statement timeout', '57014'),
    }),
    'SERVER_REFUSED',
    'refused this: Failed query. ',
  ],
  [new Error('WRONGPASS invalid username-password pair'), 'SERVER_REFUSED', 'refused this: WRONGPASS '],
  [
    serverError('connect ECONNREFUSED 10.0.0.7:5432', 'ECONNREFUSED'),
    'SERVER_UNREACHABLE',
    'was not reached: connect ECONNREFUSED 10.0.0.7:5432. Start it, or correct ',
  ],
  [serverError('write EPIPE', 'EPIPE'), 'SERVER_UNREACHABLE', 'was not reached: write EPIPE. Start it, '],
  ['it is closed', 'SERVER_UNREACHABLE', 'was not reached: it is closed. Start it, '],
  [new RedisBrokerError('NEEDS_CLUSTER_CLIENT', 'one node'), 'NEEDS_CLUSTER_CLIENT', 'one node'],
];

describe('an error of a server', () => {
  it.each(ERRORS)('is no bug of the program, whoever made the broker: %s', async (error, code, says) => {
    Object.assign(globalThis, { retryTestBroker: failing(error) });

    const ran = [
      await run(['audit', '--json'], { cwd: folder }),
      await run(['audit', '--json'], { broker: failing(error) }),
    ];

    expect(ran.map(({ exitCode, err }) => ({ exitCode, error: JSON.parse(err).error }))).toEqual([
      { exitCode: 3, error: { code, message: expect.stringContaining(says) } },
      { exitCode: 3, error: { code, message: expect.stringContaining(says) } },
    ]);
  });

  it('names the configuration that made the broker', async () => {
    Object.assign(globalThis, { retryTestBroker: failing(new Error('connection lost')) });

    const { err } = await run(['audit'], { cwd: folder });

    expect(err).toContain('The server of retry.config.js was not reached: connection lost. ');
  });

  it('is waited for no longer than 10 s', async () => {
    const silent = new Proxy(createMemoryBroker(), {
      get: (broker, key) =>
        key === 'exchange' || key === 'close' ? () => new Promise(() => {}) : Reflect.get(broker, key),
    });
    Object.assign(globalThis, { retryTestBroker: silent });

    const { err, exitCode } = await run(['audit'], { cwd: folder });

    expect(err).toContain('was not reached: it did not answer within 10000 ms.');
    expect(exitCode).toBe(3);
  });

  it('is a finding of doctor where a broker refuses the server', async () => {
    const { out, exitCode } = await run(['doctor', '--json'], {
      broker: failing(new RedisBrokerError('NEEDS_CLUSTER_CLIENT', 'this server is one node of a Cluster.')),
    });

    expect(JSON.parse(out).findings).toMatchObject([{ code: 'NEEDS_CLUSTER_CLIENT', level: 'critical' }]);
    expect(exitCode).toBe(1);
  });
});

describeOnRedis('a Redis that answers', (server) => {
  it('was reached, though it refuses the credentials', async () => {
    const url = new URL(server().url);
    Object.assign(url, { username: 'nobody', password: 'wrong-one' });

    const { err, exitCode } = await run(['lanes', 'ls', '--url', url.href]);

    expect(err).toMatch(/refused this: WRONGPASS .*Correct it on the server, or correct --url\.\n$/);
    expect(exitCode).toBe(3);
  });
});

describeOnPostgres('a Postgres that answers', (server) => {
  const role = `retry_cli_weak_${process.pid}`;
  beforeAll(async () => {
    await ask(`create role ${role} login password 'weak-one'`);
  });
  afterAll(async () => {
    await ask(`drop role ${role}`);
  });

  async function ask(sql: string): Promise<void> {
    const client = new pg.Client(server().url);
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }

  it('was reached, though it does not let migrate create a schema', async () => {
    const url = new URL(server().url);
    Object.assign(url, { username: role, password: 'weak-one' });

    const call = ['migrate', '--url', url.href, '--schema', `${role}_schema`];
    const { err, exitCode } = await run(call);

    expect(err).toMatch(
      /is unchanged: permission denied for database \w+\. Migrate as the role that owns the schema/,
    );
    expect(exitCode).toBe(3);
  });

  it('was reached, though it has no such database', async () => {
    const url = new URL(server().url);
    url.pathname = '/there_is_none';

    const ran = [await run(['migrate', '--url', url.href]), await run(['audit', '--url', url.href])];

    for (const { err, exitCode } of ran) {
      expect(err).toContain('refused this: database "there_is_none" does not exist. ');
      expect(exitCode).toBe(3);
    }
  });
});
