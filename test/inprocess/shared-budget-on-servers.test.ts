import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { nodeArgs } from '../support/programs/node-args.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';

const PROCESSES = 8;
const SPENDING_MS = 8_000;

/** What the program has for a limit. */
const LIMIT = { perSecond: 20, burst: 100 };

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

/** Lets a fleet spend a budget, of which one process is killed. @returns the instants of all grants, by the clock of this machine */
async function spendByMortals(args: readonly string[]): Promise<readonly number[]> {
  const lines: Line[] = [];
  const fleet = Array.from({ length: PROCESSES }, () => {
    const child = spawn(process.execPath, [...nodeArgs(), fixture, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.add(child);
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as Line)); // what the fixture prints
    return child;
  });
  while (lines.filter(({ ready }) => ready).length < PROCESSES) await rest(50);
  await rest(SPENDING_MS / 2);
  fleet[0]?.kill('SIGKILL');
  await rest(SPENDING_MS / 2);
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
  it('are granted its limit, and no more, though one is killed', { timeout: 120_000 }, async () => {
    const harness = await openRedisHarness(server().url);

    const grants = await spendByMortals(['redis', server().url, harness.prefix]);

    await harness.close();
    expectWithinLimit(grants);
  });
});

describeOnPostgres('processes that share a budget on Postgres', (server) => {
  it('are granted its limit, and no more, though one is killed', { timeout: 120_000 }, async () => {
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
