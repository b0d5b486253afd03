import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { describe, expect, it, vi } from 'vitest';
import { openDay } from '../../docs/demo/day/open-day.ts';
import { readArguments } from '../../docs/demo/read-arguments.ts';
import { run as runRetry } from '../cli/run-in-memory.ts';
import { splitWords } from '../cli/split-words.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { boardOf, expectDay, expectStorm, startDemo } from './day.ts';

describe('npm start -- --board', () => {
  it('shows a day in memory, where the machine has nothing but Node', async () => {
    const demo = startDemo(['--broker', 'memory']);
    const board = await boardOf(demo);

    await expectDay(board);
    await expectStorm(board);
    expect(await demo.end('SIGINT')).toEqual({ code: 0, err: '' });
    expect(demo.leftSomething()).toBe(false);
  });

  it('shows the day in memory where the Redis of this machine does not start, and says so', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'demo-'));
    const demo = startDemo(['--no-open'], { REDIS_BINARY: '/nowhere/redis-server', TMPDIR: folder });

    await demo.line(/A day of a shop passes in memory/);

    expect(await demo.end('SIGTERM')).toMatchObject({
      code: 0,
      err: expect.stringMatching(/The Redis server did not start\..*So it is done in memory/s),
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('retry-'))).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it('ends with an error where the Redis that was asked for does not start', async () => {
    const env = { REDIS_BINARY: '/nowhere/redis-server' };
    const unreachable = { REDIS_URL: 'redis://127.0.0.1:1' };

    const ended = await Promise.all([
      startDemo(['--broker', 'redis'], env).line(/A day/).catch(String),
      startDemo([], unreachable).line(/A day/).catch(String),
    ]);

    expect(ended).toEqual([
      expect.stringContaining('The Redis server did not start.'),
      expect.stringContaining('ECONNREFUSED'),
    ]);
    expect(ended.join()).not.toContain('in memory');
  });

  it('refuses Postgres, whose clock it does not turn back, and other ways to start the demo', async () => {
    await expect(openDay('postgres', 0)).rejects.toThrow('Use --broker redis or --broker memory');
    for (const other of ['--keep', '--resume'])
      expect(() => readArguments(['--board', other])).toThrow(
        '--board goes with neither --keep nor --resume',
      );
  });
});

describeOnPrivateRedis('npm start -- --board, with a redis-server', () => {
  it('has one queue of a day, which the program retry reaches, in a Redis that ends with it', async () => {
    vi.stubEnv('REDIS_URL', '');
    const day = await openDay('redis', Date.now() - 60_000).finally(() => vi.unstubAllEnvs());
    await day.past.broker.submit([{ id: 'of the past', lane: 'mail@1', payload: '{}' }]);
    const present = await day.enterPresent();
    const [run] = await present.get(['of the past']);
    const options = splitWords(day.options ?? '');

    const listed = await runRetry(['runs', 'ls', '--no-color', ...options], { now: Date.now });
    await day.close();

    expect(Date.now() - (run?.createdAt ?? 0)).toBeGreaterThan(50_000);
    expect(listed.out).toContain('of the past');
    expect((await runRetry(['audit', ...options])).exitCode).toBe(3);
  });

  it('ends its server when it is interrupted while the day passes', async () => {
    const demo = startDemo([]);
    await demo.line(/A day of a shop passes/);

    expect(await demo.end('SIGTERM')).toEqual({ code: 0, err: '' });
    expect(demo.leftSomething()).toBe(false);
  });

  it('leaves nothing on the server of REDIS_URL', async () => {
    const server = await startPrivateRedis();
    const client = await createClient({ url: server.url }).connect();
    await client.set('of-somebody-else', '1');
    const demo = startDemo([], { REDIS_URL: server.url });
    await demo.line(/A day of a shop passes/);
    await expect.poll(() => client.dbSize(), { timeout: 60_000 }).toBeGreaterThan(10);

    const ended = await demo.end('SIGTERM');

    expect(ended).toEqual({ code: 0, err: '' });
    expect(await client.keys('*')).toEqual(['of-somebody-else']);
    client.destroy();
    await server.stop();
  });
});
