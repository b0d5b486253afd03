import { readdirSync, readFileSync } from 'node:fs';
import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import type { RedisBroker } from '@retry/redis-queue';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { Redis } from 'ioredis';
import { beforeEach, expect, it } from 'vitest';
import { SCRIPT_COMMANDS } from '../../packages/redis-queue/src/driver/rights.ts';
import { openRedisBroker } from '../support/redis-harness.ts';
import { describeWithUser } from './limited-user.ts';

const SCRIPTS = new URL('../../packages/redis-queue/lua/', import.meta.url);
const DOCS = new URL('../../docs/redis.md', import.meta.url);

describeWithUser('a Redis user', (user) => {
  beforeEach(() => user().change('reset', 'on', '>secret', '-@all', ...documentedRights()));

  const url = () => user().url;
  const change = (...rules: readonly string[]) => user().change(...rules);
  const codeOf = (opening: Promise<unknown>) =>
    opening.then(
      () => 'opened',
      (error: unknown) => error,
    );

  it('can do all that a broker does with the documented rights, by redis', async () => {
    const broker = await openRedisBroker({ url: url() });

    await useAll(broker);

    await broker.close();
  });

  it('can do all that a broker does with the documented rights, by ioredis', async () => {
    const client = new Redis(url());
    const broker = await openRedisBroker({ client });

    await useAll(broker, 'loop');

    await broker.close();
    client.disconnect();
  });

  it.each(SCRIPT_COMMANDS)(
    'is refused at the start without %s, by name and with the cure',
    async (command) => {
      await change(`-${command}`);

      const error = await codeOf(openRedisBroker({ url: url() }));

      expect(error).toMatchObject({ code: 'MISSING_RIGHTS' });
      expect(String(error)).toMatch(
        new RegExp(`may not use ${command} .*ACL SETUSER .*\\+${command}\\b`, 's'),
      );
      expect(await user().admin.keys('*')).toEqual([]);
    },
  );

  it.each(['eval', 'evalsha', 'multi', 'exec'])('is refused without %s', async (command) => {
    await change(`-${command}`);

    expect(await codeOf(openRedisBroker({ url: url() }))).toMatchObject({ code: 'MISSING_RIGHTS' });
  });

  it.each([
    ['the keys', 'resetkeys', '~other:*'],
    ['the channels', 'resetchannels', '&other:*'],
  ])('is refused without the rights to %s', async (_name, ...rules) => {
    await change(...rules);

    expect(await codeOf(openRedisBroker({ url: url() }))).toMatchObject({ code: 'MISSING_RIGHTS' });
  });

  it('is told the pattern of its prefix as redis-cli reads it, which allows no other one', async () => {
    const prefix = `a b*["`;
    const pattern = String.raw`{a?b\*\[":*`;

    const error = await codeOf(openRedisBroker({ url: url(), prefix }));
    await change('resetkeys', 'resetchannels', `~${pattern}`, `&${pattern}`);
    const broker = await openRedisBroker({ url: url(), prefix });
    await broker.close();
    const other = await codeOf(openRedisBroker({ url: url(), prefix: `a bc["` }));

    expect(String(error)).toContain(String.raw`Run ACL SETUSER <user> "~{a?b\\*\\[\":*" "&{a?b\\*\\[\":*" +`);
    expect(other).toMatchObject({ code: 'MISSING_RIGHTS' });
  });

  it('that loses its rights later gets an error that is no refusal of its call', async () => {
    const broker = await openRedisBroker({ url: url() });
    await broker.submit([{ id: 'a', lane: 'l', payload: '1' }]);
    await change('-rpush');

    const error = await codeOf(broker.submit([{ id: 'b', lane: 'l', payload: '1' }]));

    expect(String(error)).toMatch(/NOPERM|can't run this command/);
    expect(broker.isRefusal(error)).toBe(false);
    await broker.close();
  });
});

it('the commands whose rights are checked are those of the scripts', () => {
  const files = readdirSync(SCRIPTS, { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => name.endsWith('.lua'))
    .map((name) => readFileSync(new URL(name, SCRIPTS), 'utf8'));

  const used = texts.flatMap((text) =>
    [...text.matchAll(/\b(?:p?call|many|add|readAll)\('([A-Z]+)'/g)].map(([, name]) => name),
  );

  const commands = [...new Set(used.map((name) => (name ?? '').toLowerCase())), 'hmget'];
  expect([...new Set(commands)].sort()).toEqual([...SCRIPT_COMMANDS].sort());
});

/** The rights that docs/redis.md names, for the prefix `retry`. */
function documentedRights(): readonly string[] {
  const text = readFileSync(DOCS, 'utf8');
  const [, rule = ''] = /ACL SETUSER app on >secret -@all ((?:[^`]|\n)*?)\n```/.exec(text) ?? [];
  return rule.split(/[\s\\]+/).filter((part) => part !== '');
}

/** Every verb at least once. */
async function useAll(broker: RedisBroker, leaseRenewal: 'thread' | 'loop' = 'thread'): Promise<void> {
  const queue = createQueue({ broker });
  const task = defineTask({
    name: 'work',
    retry: { maxAttempts: 2, backoff: { type: 'constant', base: 1 } },
    run: async (payload: string) => {
      if (payload === 'fail') throw new Error('no');
      return payload;
    },
  });
  const worker = createWorker({ broker, tasks: [task], signals: [], leaseRenewal });
  const waiting = broker.wait({ lanes: ['other'], timeoutMs: 20 });
  worker.start();
  const { id } = await queue.submit(task, 'x'.repeat(10_000));
  const failed = await queue.submit(task, 'fail');
  expect(await queue.waitForResult(id)).toHaveLength(10_000);
  await queue.waitForResult(failed.id).catch(() => {});
  await waiting;
  await worker.stop();
  const concurrency = { key: 'k', limit: 1, whenFull: 'wait' } as const;
  await broker.submit([
    { id: 'a', lane: 'l', payload: '1', concurrency, keyed: true, keepResultMs: 1 },
    { id: 'b', lane: 'l', payload: '1', concurrency },
    { id: 'c', lane: 'l', payload: '1', delayMs: 60_000 },
  ]);
  const lanes = new Map([['l', 9]]);
  await broker.exchange({ claim: { worker: 'w', requestId: 'r', limit: 9, lanes, leaseMs: 1 } });
  await broker.heartbeat([{ id: 'a', epoch: 1 }], 1);
  await broker.findExpired(9, { lanes: ['l'] });
  await cancelRuns(broker, ['a', 'b', 'c']);
  await broker.heartbeat([{ id: 'a', epoch: 1 }], 0);
  await broker.attend({ worker: 'w', lanes: ['m'], ttlMs: 1_000 });
  await broker.list({ state: 'submitted', limit: 9 });
  await broker.list({ state: 'scheduled', limit: 9 });
  await broker.list({ state: 'completed', limit: 9 });
  await broker.list({ state: 'failed', limit: 9 });
  await redriveRuns(broker, [failed.id]);
  await discardRuns(broker, ['b', id]);
  await broker.get([id, 'a'], { collect: true });
  await broker.wait({ results: true, timeoutMs: 20 });
  expect((await broker.audit()).unbalanced).toBe(0);
}
