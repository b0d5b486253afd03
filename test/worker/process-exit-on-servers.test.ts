import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Broker } from '@retry/core/broker';
import { createPostgresBroker } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue } from '@retry/worker';
import { expect, it, type TestContext } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { startProgram } from '../support/programs/start-program.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { removeKeys } from '../support/servers/remove-keys.ts';
import { sharedTask } from './fixtures/shared-task.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/deadly.ts', import.meta.url));
const NEIGHBOURS = 40;

interface Supervisor {
  /** How often the process has ended by itself. */
  readonly crashes: () => number;
  readonly stop: () => Promise<void>;
}

/** Keeps a process of the fixture running: whenever it ends, another one is started. */
function supervise(args: readonly string[]): Supervisor {
  let crashes = 0;
  let isStopped = false;
  let child: ChildProcess;
  const run = async (): Promise<void> => {
    while (!isStopped) {
      child = startProgram([FIXTURE, ...args]);
      await once(child, 'exit');
      if (!isStopped) crashes += 1;
    }
  };
  const ended = run();
  return {
    crashes: () => crashes,
    stop: () => {
      isStopped = true;
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** Plays it out on a server; the broker watches. */
async function expectOnlyTheGuiltyToPay(
  { onTestFinished }: TestContext,
  broker: Broker,
  args: readonly string[],
): Promise<void> {
  const queue = createQueue({ broker });
  const task = sharedTask(async () => {});
  const payloads = Array.from({ length: NEIGHBOURS + 1 }, (_, index) => (index === 17 ? 'deadly' : 'fine'));
  const submitted = await queue.submitMany(task, payloads);

  const supervisor = supervise([...args, `${NEIGHBOURS + 1}`]);
  onTestFinished(() => supervisor.stop());
  const endedCount = async (): Promise<number> =>
    Object.values((await queue.counts()).ended).reduce((sum, count) => sum + count, 0);
  while ((await endedCount()) < submitted.length) await rest(200);

  const runs = await broker.get(submitted.map(({ id }) => id));
  for (const [index, run] of runs.entries()) {
    if (index === 17) expect(run).toMatchObject({ state: 'failed', stalls: 3 });
    else expect(run).toMatchObject({ state: 'completed', stalls: 0, failures: 0 });
  }
  expect(await queue.counts()).toMatchObject({ ended: { completed: 40, failed: 1 }, unbalanced: 0 });
  // log2(41) to find it, and three of its own.
  expect(supervisor.crashes()).toBeLessThanOrEqual(9);
  await supervisor.stop();
}

/** Most of the time they wait for leases to end. */
const SIDE_BY_SIDE = { concurrent: true };

describeOnRedis(
  'a run that ends its process, on Redis',
  (server) => {
    it('is charged alone: the 40 runs claimed with it complete uncharged', {
      timeout: 300_000,
    }, async (context) => {
      const { url } = server();
      const prefix = `deadly-${randomUUID()}`;
      const broker = await createRedisBroker({ url, prefix });

      await expectOnlyTheGuiltyToPay(context, broker, ['redis', url, prefix]);

      await broker.close();
      await removeKeys(url, prefix);
    });
  },
  SIDE_BY_SIDE,
);

describeOnPostgres(
  'a run that ends its process, on Postgres',
  (server) => {
    it('is charged alone: the 40 runs claimed with it complete uncharged', {
      timeout: 300_000,
    }, async (context) => {
      const { url } = server();
      const pool = openPool(url, 1);
      const schema = await createTestSchema(pool);
      const broker = createPostgresBroker({ url, schema: schema.name });

      await expectOnlyTheGuiltyToPay(context, broker, ['postgres', url, schema.name]);

      await broker.close();
      await schema.drop();
      await pool.end();
    });
  },
  SIDE_BY_SIDE,
);
