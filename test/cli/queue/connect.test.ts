import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue, defineTask } from '@retry/worker';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../support/repository.ts';
import { describeOnPostgres } from '../../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../../support/servers/describe-on-redis.ts';
import { removeKeys } from '../../support/servers/remove-keys.ts';
import { itWhere } from '../../support/some-tests.ts';
import { schemaErrors } from '../output-schema.ts';
import { run } from '../run-in-memory.ts';

const AUDIT = ['audit', '--json'];

/** A server that does not exist. */
const NONE = 'redis://me:s3cret@127.0.0.1:1';

let folder = '';
beforeEach(() => {
  // Below the repository, whose packages the project then has.
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'retry-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('where the queue is', () => {
  it('is said by --url, RETRY_URL, REDIS_URL or DATABASE_URL, or retry.config, in this order', async () => {
    writeFileSync(join(folder, 'retry.config.json'), JSON.stringify({ url: 'redis://config:1' }));
    const asked = async (args: readonly string[], env: Record<string, string>): Promise<string> => {
      const { err, exitCode } = await run([...AUDIT, ...args], { cwd: folder, env });
      expect(exitCode).toBe(2);
      return JSON.parse(err).error.message;
    };
    // Each source is recognised by its mistake.
    const wrong = (name: string): string => `ftp://${name}`;
    const all = { RETRY_URL: wrong('retry'), REDIS_URL: wrong('redis') };

    expect(await asked(['--url', wrong('flag')], all)).toContain('--url is ftp://flag');
    expect(await asked([], all)).toContain('RETRY_URL is ftp://retry');
    expect(await asked([], { REDIS_URL: wrong('redis') })).toContain('REDIS_URL is ftp://redis');
    expect(await asked([], { DATABASE_URL: wrong('database') })).toContain('DATABASE_URL is ftp://database');
    expect(await asked(['--schema', 'x'], {})).toContain('retry.config.json is redis://config:1');
  });

  it('is asked for when nothing says it, and when two variables do', async () => {
    const none = await run(AUDIT, { cwd: tmpdir() });
    const two = await run(AUDIT, { env: { REDIS_URL: 'redis://a', DATABASE_URL: 'postgres://b' } });

    expect([none, two].map(({ exitCode }) => exitCode)).toEqual([2, 2]);
    expect(JSON.parse(none.err).error).toMatchObject({ code: 'NO_CONNECTION' });
    expect(JSON.parse(two.err).error.message).toContain('REDIS_URL and DATABASE_URL are both set');
  });

  it.each([
    [['--url', 'redis://a', '--schema', 'x'], '--schema belongs to postgres and pglite'],
    [['--url', 'postgres://a', '--prefix', 'x'], '--prefix belongs to redis'],
    [['--url', 'pglite:x', '--partitions', '4'], '--partitions belongs to redis'],
    [['--url', 'app:s3cr3t@h:5432/db'], '--url is ***@h:5432/db, which is no server that is known'],
    [['--url', 'postgres//app:s3cr3t@h/db'], '--url is ***@h/db, which is no server that is known'],
    [['--url', 'nowhere'], 'which is no server that is known'],
    [['--url', 'redis://a', '--partitions', '0'], 'Write an integer of at least 1'],
  ])('refuses %j', async (args, message) => {
    const { err, exitCode } = await run(['audit', ...args]);

    expect(exitCode).toBe(2);
    expect(err).toContain(message);
  });
});

describe('a PGlite folder without a database', () => {
  it.each(['audit', 'dlq ls', 'doctor'])('is refused, and not made, by %s', async (command) => {
    const { err, exitCode } = await run([...command.split(' '), '--url', 'pglite:typo'], { cwd: folder });

    expect(err).toContain(
      `pglite:typo was not reached: ${join(folder, 'typo')} has no database. Correct --url,`,
    );
    expect(exitCode).toBe(3);
    expect(existsSync(join(folder, 'typo'))).toBe(false);
  });

  it('is made by migrate', async () => {
    const { exitCode } = await run(['migrate', '--url', 'pglite:new'], { cwd: folder });

    expect(exitCode).toBe(0);
    expect(existsSync(join(folder, 'new', 'PG_VERSION'))).toBe(true);
  });
});

describe('retry.config', () => {
  it.each([
    ['retry.config.js', 'export default () => ({ broker: globalThis.retryTestBroker });'],
    [
      'retry.config.ts',
      'const broker: unknown = (globalThis as any).retryTestBroker;\nexport default { broker };',
    ],
  ])('may be %s, and make a broker itself', async (name, text) => {
    mkdirSync(join(folder, 'deep', 'down'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, name), text);
    Object.assign(globalThis, { retryTestBroker: createMemoryBroker() });

    const { out, err, exitCode } = await run(AUDIT, { cwd: join(folder, 'deep', 'down') });

    expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
    expect(schemaErrors('audit', out)).toEqual([]);
    const { err: named } = await run(['audit'], { cwd: join(folder, 'deep', 'down') });
    expect(named).toContain(`retry: running ${join(folder, name)}, the configuration of the queue.\n`);
  });

  const throwing = 'throw new Error("it was run");';

  it('is not run with --url', async () => {
    writeFileSync(join(folder, 'retry.config.js'), throwing);

    const { err } = await run([...AUDIT, '--url', 'ftp://none'], { cwd: folder });

    expect(err).toContain('--url is ftp://none');
    expect(err).not.toContain('it was run');
  });

  it('is refused as JSON where it has what JSON has not', async () => {
    writeFileSync(join(folder, 'retry.config.js'), 'module.exports = { url: 10n };');

    const { out, err, exitCode } = await run(AUDIT, { cwd: folder });

    expect({ out, exitCode }).toEqual({ out: '', exitCode: 2 });
    expect(schemaErrors('error', err)).toEqual([]);
    expect(JSON.parse(err).error).toMatchObject({
      code: 'INVALID_OPTIONS',
      problems: [{ path: 'url', value: '10' }],
    });
  });

  it('says which schema migrate --sql makes, unless the call does', async () => {
    writeFileSync(join(folder, 'retry.config.json'), '{"url":"postgres://localhost/app","schema":"jobs"}');
    const sql = ['migrate', '--sql', '--json'];

    const configured = await run(sql, { cwd: folder });
    const given = await run([...sql, '--schema', 'mine'], { cwd: folder });

    expect([configured, given].map(({ out }) => JSON.parse(out).schema)).toEqual(['jobs', 'mine']);
    expect(JSON.parse(configured.out).sql).toContain('create schema "jobs"');
  });

  it('is not looked for above the package', async () => {
    mkdirSync(join(folder, 'app'));
    writeFileSync(join(folder, 'retry.config.js'), throwing);
    writeFileSync(join(folder, 'app', 'package.json'), '{}');

    const { err } = await run(AUDIT, { cwd: join(folder, 'app') });

    expect(JSON.parse(err).error).toMatchObject({ code: 'NO_CONNECTION' });
  });

  it('is read where a group may write it: on many systems each user has one', async () => {
    writeFileSync(join(folder, 'retry.config.js'), throwing);
    chmodSync(join(folder, 'retry.config.js'), 0o664);
    chmodSync(folder, 0o775);

    const { err } = await run(AUDIT, { cwd: folder });

    expect(err).toContain('it was run');
  });

  it.each([
    ['it', 'retry.config.js', 0o646],
    ['its folder', '.', 0o757],
  ])('is refused where everyone may write %s', async (_what, path, mode) => {
    writeFileSync(join(folder, 'retry.config.js'), throwing);
    chmodSync(join(folder, path), mode);

    const { err, exitCode } = await run(AUDIT, { cwd: folder });

    expect(exitCode).toBe(2);
    expect(JSON.parse(err).error).toMatchObject({
      code: 'WRONG_CONFIG',
      message: expect.stringContaining(
        'is not read: another user owns it or its folder, or everyone may write them',
      ),
    });
  });

  itWhere(process.getuid?.() === 0, 'the rights of root').each([
    ['it', 'retry.config.js'],
    ['its folder, who may replace it', '.'],
  ])('is refused where another user owns %s', async (_what, path) => {
    writeFileSync(join(folder, 'retry.config.js'), throwing);
    chownSync(join(folder, path), 12_345, 12_345);

    const { err } = await run(AUDIT, { cwd: folder });

    expect(JSON.parse(err).error).toMatchObject({ code: 'WRONG_CONFIG' });
    expect(err).not.toContain('it was run');
  });

  it.each([
    ['throws', 'throw new Error("vault is sealed");'],
    ['exports a function that throws', 'export default () => { throw new Error("vault is sealed"); };'],
    ['exports one that rejects', 'export default async () => { throw new Error("vault is sealed"); };'],
    ['exports one that rejects with no error', 'export default () => Promise.reject("vault is sealed");'],
  ])('is refused when it %s', async (_what, text) => {
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'retry.config.js'), text);

    const { err, exitCode } = await run(AUDIT, { cwd: folder });

    expect(JSON.parse(err).error).toEqual({
      code: 'WRONG_CONFIG',
      message: 'retry.config.js cannot be read: vault is sealed. Correct the file, or give --url.',
    });
    expect(exitCode).toBe(2);
  });

  it.each([
    ['{"ulr":"redis://a"}', 'INVALID_OPTIONS', 'ulr is not a known key'],
    ['{"url":7}', 'INVALID_OPTIONS', 'url must be text'],
    ['{"url"', 'WRONG_CONFIG', 'retry.config.json cannot be read'],
  ])('is refused when it is %s', async (text, code, message) => {
    writeFileSync(join(folder, 'retry.config.json'), text);

    const { err, exitCode } = await run(AUDIT, { cwd: folder });

    expect(exitCode).toBe(2);
    expect(JSON.parse(err).error).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});

describe('a server that is not there', () => {
  it.each([NONE, 'postgres://me:s3cret@127.0.0.1:1/app'])(
    'ends with exit status 3, and shows no password: %s',
    async (url) => {
      const ran = await Promise.all([
        run(['audit', '--url', url, '--verbose']),
        run(['lanes', 'ls'], { env: { RETRY_URL: url } }),
        run(AUDIT, { env: { RETRY_URL: url } }),
      ]);

      expect(ran.map(({ exitCode }) => exitCode)).toEqual([3, 3, 3]);
      expect(ran.map(({ out, err }) => out + err).join()).not.toContain('s3cret');
      expect(ran[1]?.err).toMatch(/not reached.*ECONNREFUSED/s);
      expect(schemaErrors('error', ran[2]?.err ?? '')).toEqual([]);
    },
  );

  it('is tried once: whoever waits would rather know', async () => {
    let tries = 0;
    const server = createServer((socket) => {
      tries += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // it listens on a port

    const { err, exitCode } = await run(['lanes', 'ls', '--url', `redis://127.0.0.1:${port}`]);
    server.close();

    expect(exitCode).toBe(3);
    expect(err).toContain('was not reached');
    expect(tries).toBe(1);
  });

  it('is not asked for by migrate --sql, which prints the statement', async () => {
    const { out, exitCode } = await run(['migrate', '--sql', '--schema', 'mine', '--json']);

    expect(exitCode).toBe(0);
    expect(schemaErrors('migrate', out)).toEqual([]);
    expect(JSON.parse(out).sql).toContain('mine');
  });

  it('needs packages that the project may not have, and says which', async () => {
    const { resolvePackage } = await import('../../../packages/cli/src/connect/load-package.ts');

    expect(resolvePackage('@retry/none', tmpdir())).toBeUndefined();
  });
});

describe('a group of commands', () => {
  it.each(['runs', 'lanes', 'workers', 'operations', 'schedules'])(
    'prints its help without a command: %s',
    async (name) => {
      const { err, exitCode } = await run([name]);

      expect(exitCode).toBe(2);
      expect(err).toContain(`Usage: retry ${name} [options] [command]`);
      expect(err).not.toContain('outputHelp');
    },
  );
});

describeOnRedis('retry on Redis', (server) => {
  it('migrates nothing, and says so', async () => {
    const { err, exitCode } = await run(['migrate', '--url', server().url]);

    expect(exitCode).toBe(2);
    expect(err).toContain('has no schema to migrate. Redis needs none');
  });
});

/** Commands that would do something to, or report on, a queue that is not there. */
const WHOLE = [
  'audit',
  'dlq ls',
  'runs ls',
  'lanes ls',
  'lanes hold mail@1',
  'workers ls',
  'doctor',
  'operations ls',
];

describeOnRedis('a prefix of which Redis has nothing', (server) => {
  const own = `retry_cli_absent_${process.pid}`;
  afterEach(async () => {
    for (const prefix of [own, `${own}_there`]) await removeKeys(server().url, prefix);
  });

  it.each(WHOLE)('is refused by %s, which names what there is', async (command) => {
    await submitOne(server().url, `${own}_there`);

    const { err, exitCode } = await run([...command.split(' '), '--url', server().url, '--prefix', own]);

    expect(err).toContain(`There is no queue with the prefix ${own} at ${server().url}. The server has `);
    expect(err).toContain(`${own}_there`);
    expect(exitCode).toBe(3);
  });

  it('is a queue once a run was submitted', async () => {
    await submitOne(server().url, own);

    const { exitCode } = await run([...AUDIT, '--url', server().url, '--prefix', own]);

    expect(exitCode).toBe(0);
  });
});

async function submitOne(url: string, prefix: string): Promise<void> {
  const broker = createRedisBroker({ url, prefix });
  const send = defineTask({ name: 'send', run: (to: string) => to });
  await createQueue({ broker }).submit(send, 'a@b.c');
  await broker.close();
}

describeOnPostgres('retry on Postgres', (server) => {
  it('names the schemas that there are, where one is not there', async () => {
    const there = `retry_cli_there_${process.pid}`;
    await run(['migrate', '--url', server().url, '--schema', there]);

    const { err, exitCode } = await run(['dlq', 'ls', '--url', server().url, '--schema', 'typo']);

    expect(err).toContain('the schema typo has no queue, there is one in ');
    expect(err).toContain(there);
    expect(exitCode).toBe(3);
    const client = new pg.Client(server().url);
    await client.connect();
    await client.query(`drop schema ${there} cascade`);
    await client.end();
  });

  it('migrates a schema, without which every other command ends with exit status 3', async () => {
    const args = ['--url', server().url, '--schema', `retry_cli_migrate_${process.pid}`];

    const before = await run([...AUDIT, ...args]);
    const migrated = await run(['migrate', '--json', ...args]);
    const after = await run([...AUDIT, ...args]);

    expect([before, migrated, after].map(({ exitCode }) => exitCode)).toEqual([3, 0, 0]);
    expect(JSON.parse(before.err).error.code).toBe('OLDER_SCHEMA');
    expect(schemaErrors('migrate', migrated.out)).toEqual([]);
  });
});
