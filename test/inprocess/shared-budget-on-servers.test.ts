import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Broker } from '@retry/core/broker';
import { createSharedBudget } from '@retry/inprocess';
import { createPostgresBroker, migrate } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import { afterEach, expect, it } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { startProgram } from '../support/programs/start-program.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPostgres, describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnPrivateRedis, describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

const PROCESSES = 8;
const SPENDING_MS = 9_000;

/** How long one process is stopped: longer than a lease. */
const STOPPED_MS = 5_500;

/** What the program has for a limit. */
const LIMIT = { perSecond: 20, burst: 100 };

const down = new Error('down');

const fixture = fileURLToPath(new URL('fixtures/spending-program.ts', import.meta.url));
const children = new Set<ChildProcess>();

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

interface Line {
  readonly ready?: true;
  readonly grantedAt?: number;
}

/** Lets a fleet spend a budget, of which one process is killed, and one stopped for longer than a lease. @returns the instants of all grants, by the clock of this machine */
async function spendByMortals(args: readonly string[]): Promise<readonly number[]> {
  const lines: Line[] = [];
  const fleet = Array.from({ length: PROCESSES }, () => {
    const child = startProgram([fixture, ...args]);
    children.add(child);
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as Line)); // what the fixture prints
    return child;
  });
  while (lines.filter(({ ready }) => ready).length < PROCESSES) await rest(50);
  await rest(SPENDING_MS / 4);
  fleet[1]?.kill('SIGSTOP');
  await rest(SPENDING_MS / 4);
  fleet[0]?.kill('SIGKILL');
  await rest(STOPPED_MS - SPENDING_MS / 4);
  fleet[1]?.kill('SIGCONT');
  await rest((3 * SPENDING_MS) / 4 - STOPPED_MS);
  for (const child of fleet) child.kill('SIGKILL');
  await rest(100);
  return lines.flatMap(({ grantedAt }) => grantedAt ?? []).sort((one, other) => one - other);
}

/** Clocks of processes differ by parts of a millisecond. */
const CLOCKS_MS = 2;

function expectWithinLimit(grants: readonly number[]): void {
  const { perSecond, burst } = LIMIT;
  const over = grants.flatMap((from, first) =>
    grants.slice(first).flatMap((until, index) => {
      const most = burst + ((until - from + CLOCKS_MS) / 1_000) * perSecond;
      return index + 1 > most ? [[first, index + 1, most]] : [];
    }),
  );
  expect(over).toEqual([]);
  expect(grants.length).toBeGreaterThan(burst + (SPENDING_MS / 2_000) * perSecond);
}

describeOnRedis('processes that share a budget on Redis', (server) => {
  it('are granted its limit, and no more, though one is killed and one stopped for a while', async () => {
    const harness = await openRedisHarness(server().url);

    const grants = await spendByMortals(['redis', server().url, harness.prefix]);

    await harness.close();
    expectWithinLimit(grants);
  });
});

describeOnPostgres('processes that share a budget on Postgres', (server) => {
  it('are granted its limit, and no more, though one is killed and one stopped for a while', async () => {
    const pool = openPool(server().url, 4);
    const schema = await createTestSchema(pool);
    const harness = await schema.open();

    const grants = await spendByMortals(['postgres', server().url, schema.name]);

    await harness.close();
    await schema.drop();
    await pool.end();
    expectWithinLimit(grants);
  });
});

/** How long the server is away. */
const AWAY_MS = 4_000;

/** Asks for a retry every 5 ms, before, while and after the server is away. @returns how many were granted while it was, and its modes */
async function spendThroughOutage(broker: Broker, outage: () => Promise<void>) {
  const modes: string[] = [];
  const budget = createSharedBudget({
    ...{ broker, key: 'payments', perSecond: 20, burst: 100, localShare: 0.1 },
    onModeChange: ({ to }) => modes.push(to),
  });
  let granted = 0;
  const timer = setInterval(() => {
    budget.record({ type: 'request' });
    if (budget.allowsRetry(down)) granted += budget.spend(down);
  }, 5);
  await rest(3_000);
  const before = granted;
  await outage();
  const during = granted - before;
  await expect.poll(() => budget.mode, { timeout: 20_000 }).toBe('shared');
  clearInterval(timer);
  await broker.close();
  return { before, during, modes };
}

function expectLocalShare({ before, during, modes }: Awaited<ReturnType<typeof spendThroughOutage>>): void {
  // Its share, and what was left in its lease: it takes at most half of the tokens that there are.
  expect(during).toBeGreaterThan(0.1 * 100);
  expect(during).toBeLessThanOrEqual(0.1 * (100 + 20 * 15) + 50);
  expect(before).toBeLessThanOrEqual(100 + 4 * 20);
  // It was shared again before its broker was closed, where a request that is under way makes it local.
  expect(modes).toContain('local');
}

describeOnPrivateRedis('a shared budget whose Redis is stopped', () => {
  it('grants its local share meanwhile, and that of all when it is back', async () => {
    const server = await startPrivateRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const broker = createRedisBroker({ url: server.url, onError: () => {} });

    const spent = await spendThroughOutage(broker, () => server.restart('SIGKILL', AWAY_MS));

    await server.stop();
    expectLocalShare(spent);
  });
});

describeOnPrivatePostgres('a shared budget whose Postgres is stopped', () => {
  it('grants its local share meanwhile, and that of all when it is back', async () => {
    const server = await startPrivatePostgres();
    const pool = openPool(server.url);
    await migrate(pool);
    await pool.end();
    const broker = createPostgresBroker({ url: server.url, onError: () => {} });

    const spent = await spendThroughOutage(broker, () => server.restart('immediate', AWAY_MS));

    await server.stop();
    expectLocalShare(spent);
  });
});
