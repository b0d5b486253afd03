import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Broker } from '@retry/core/broker';
import { createQueue } from '@retry/worker';
import { afterEach, expect, it } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { startProgram } from '../support/programs/start-program.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { charge, refund } from './fixtures/failing-tasks.ts';

interface Printed {
  readonly kind: string;
  readonly name: string;
  readonly count: number;
}

const ROUNDS = 20;
/** Runs of each round, by group. */
const ROUND = { 'charge@1 Error: a': 1, 'charge@1 Error: b': 2, 'refund@1 Error: a': 3 };
const fixture = fileURLToPath(new URL('fixtures/listener-program.ts', import.meta.url));
const children = new Set<ChildProcess>();

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

/** Starts a worker in a process of its own. @returns ends it, after which `printed` has all that it emitted */
function startListener(args: readonly string[], printed: Printed[]): () => Promise<void> {
  const child = startProgram([fixture, ...args]);
  children.add(child);
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => printed.push(JSON.parse(line) as Printed)); // what the fixture prints
  const closed = Promise.all([once(child, 'exit'), once(lines, 'close')]);
  return async () => {
    child.kill('SIGTERM');
    await closed;
  };
}

/** Fails runs round by round, while three processes look for groups all the time. */
async function failOnThree(broker: Broker, args: readonly string[]): Promise<readonly Printed[]> {
  const queue = createQueue({ broker });
  const printed: Printed[] = [];
  const ends = [1, 2, 3].map(() => startListener(args, printed));
  for (let round = 1; round <= ROUNDS; round += 1) {
    await queue.submitMany(charge, ['a', 'b', 'b']);
    await queue.submitMany(refund, ['a', 'a', 'a']);
    while ((await broker.audit()).ended.failed < round * 6) await rest(5);
    await rest(round % 4 === 0 ? 150 : 0);
  }
  await Promise.all(ends.map((end) => end()));
  return printed;
}

function expectEachOnce(printed: readonly Printed[]): void {
  for (const [name, each] of Object.entries(ROUND)) {
    const own = printed.filter((one) => one.name === name).sort((left, right) => left.count - right.count);
    const counts = own.map(({ count }) => count);

    expect(own.map(({ kind }) => kind)).toEqual(['new', ...Array(own.length - 1).fill('doubled')]);
    for (const [index, count] of counts.entries())
      expect(count).toBeGreaterThanOrEqual(2 * (counts[index - 1] ?? 0));
    expect(2 * (counts.at(-1) ?? 0)).toBeGreaterThan(ROUNDS * each);
    expect(own.length).toBeGreaterThan(1);
  }
}

describeOnRedis('workers in several processes, on Redis', (server) => {
  it.each([1, 3])(
    'emit each new group and each doubling once in all, in %d partitions',
    async (partitions) => {
      const harness = await openRedisHarness(server().url, { partitions });
      const args = ['redis', server().url, harness.prefix, `${partitions}`];

      expectEachOnce(await failOnThree(harness.broker, args).finally(harness.close));
    },
  );
});

describeOnPostgres('workers in several processes, on Postgres', (server) => {
  it('emit each new group and each doubling once in all', async () => {
    const pool = openPool(server().url, 4);
    const schema = await createTestSchema(pool);
    const harness = await schema.open();

    const printed = await failOnThree(harness.broker, ['postgres', server().url, schema.name]);

    expectEachOnce(printed);
    await harness.close();
    await schema.drop();
    await pool.end();
  });
});
