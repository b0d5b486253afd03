import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Broker, Operation, OperationRequest, Run } from '@retry/core/broker';
import { getOperation, putOperation } from '@retry/core/broker/kit';
import { expect, it, type TestContext } from 'vitest';
import { createSteps } from '../../packages/broker-contract/src/case-scene.ts';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { nodeArgs } from '../support/programs/node-args.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { settlementOf } from '../support/settle.ts';

/** How many runs are redriven while the processes that carry it on are killed; `PLAN_RUNS=100000` for the real thing. */
const RUNS = Number(process.env['PLAN_RUNS'] ?? 5_000);

/** At which parts of the whole a process is killed. Each takeover takes some five seconds. */
const KILLED_AT = RUNS > 5_000 ? [0.2, 0.4, 0.6, 0.8] : [0.4];

const BATCH = 1_000;
const ALL = { planned: RUNS, killedAt: KILLED_AT } as const;
const fixture = fileURLToPath(new URL('fixtures/carrier-program.ts', import.meta.url));

function startCarrier(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...nodeArgs(), fixture, ...args], { stdio: 'ignore' });
}

/** Runs that have failed. */
async function bury(broker: Broker, runs: number): Promise<void> {
  const { submit, claim, settle, now } = createSteps(broker);
  for (let from = 0; from < runs; from += BATCH) {
    const count = Math.min(BATCH, runs - from);
    await submit(...Array.from({ length: count }, (_, index) => ({ id: `run-${from + index}` })));
    const claimed = await claim({ limit: count });
    const at = await now();
    await settle(...claimed.map(({ run }) => settlementOf(run, { type: 'fail', at })));
  }
  await rest(5);
}

/** What is redriven, how fast, and at which parts of the whole a process is killed. */
interface Redrive extends Pick<OperationRequest, 'planned' | 'perSecond'> {
  readonly killedAt: readonly number[];
}

/** Redrives all of them by processes that are killed on their way, and returns the operation when it is done. */
async function redriveByMortals(
  { onTestFinished }: TestContext,
  broker: Broker,
  args: readonly string[],
  { killedAt, ...request }: Redrive,
): Promise<Operation | undefined> {
  const endedBefore = (await broker.exchange({})).now;
  await putOperation(broker, {
    ...{ ...request, id: 'o', kind: 'redrive', isPlanExact: true },
    filter: { state: 'failed', endedBefore },
  });
  const strikes = [...killedAt];
  let carrier = startCarrier(args);
  onTestFinished(() => void carrier.kill('SIGKILL'));
  for (;;) {
    const operation = await getOperation(broker, 'o');
    const [next = 2] = strikes;
    if (operation === undefined || operation.endedAt !== undefined) {
      carrier.kill('SIGKILL');
      expect(strikes).toEqual([]); // it did not end before a process could be killed
      return operation;
    }
    if (operation.done >= next * request.planned) {
      carrier.kill('SIGKILL');
      strikes.shift();
      carrier = startCarrier(args);
    }
    await rest(1);
  }
}

async function listAll(broker: Broker, state: 'submitted' | 'scheduled'): Promise<readonly Run[]> {
  const runs: Run[] = [];
  let after: string | undefined;
  do {
    const asked = { state, payloads: 'omit', limit: BATCH } as const;
    const page = await broker.list(after === undefined ? asked : { ...asked, after });
    runs.push(...page.runs);
    after = page.next;
  } while (after !== undefined);
  return runs;
}

async function expectEachOnce(broker: Broker): Promise<void> {
  const redrives = new Map<number, number>();
  for (const run of await listAll(broker, 'submitted'))
    redrives.set(run.redrives, (redrives.get(run.redrives) ?? 0) + 1);
  expect([...redrives]).toEqual([[1, RUNS]]);
  expect(await broker.audit()).toMatchObject({ submitted: RUNS, ended: { failed: 0 }, unbalanced: 0 });
}

/** Runs with a rate: more than a carrier takes ahead. */
const PACED: Redrive = { planned: 2_500, perSecond: 100, killedAt: [0.6] };

/** A run is due every 10 ms at most, whoever has carried on. That no time is lost without a kill is tested on a virtual clock. */
async function expectPaced(broker: Broker): Promise<void> {
  const runs = await listAll(broker, 'scheduled');
  const dues = runs.map(({ runAt = 0 }) => runAt).sort((one, other) => one - other);
  const gaps = dues.slice(1).map((due, index) => due - (dues[index] ?? 0));
  // Those that were due when their step was made went to their lane at once: on a busy machine, many.
  expect(runs.length).toBeGreaterThan(PACED.planned / 2);
  expect(gaps.filter((gap) => gap < 9)).toEqual([]);
  expect(new Set(runs.map(({ redrives }) => redrives))).toEqual(new Set([1]));
}

const TIMEOUT_MS = 60_000 + RUNS * 20;

/** Most of the time they wait for a rate, or for leases to end. */
const SIDE_BY_SIDE = { concurrent: true };

describeOnRedis(
  'processes that carry a redrive on, and are killed, on Redis',
  (server) => {
    it.for([1, 3])(
      'redrive each run exactly once, and count it, in %d partitions',
      { timeout: TIMEOUT_MS },
      async (partitions, context) => {
        const prefix = `test-${randomUUID()}`;
        const { broker, close } = await openRedisHarness(server().url, { prefix, partitions });
        await bury(broker, RUNS);

        const args = ['redis', server().url, prefix, `${partitions}`];
        const operation = await redriveByMortals(context, broker, args, ALL);

        expect(operation).toMatchObject({ state: 'done', done: RUNS, skipped: 0 });
        await expectEachOnce(broker);
        await close();
      },
    );

    it('keep to the rate', { timeout: TIMEOUT_MS }, async (context) => {
      const prefix = `test-${randomUUID()}`;
      const { broker, close } = await openRedisHarness(server().url, { prefix, partitions: 1 });
      await bury(broker, PACED.planned);

      const operation = await redriveByMortals(context, broker, ['redis', server().url, prefix, '1'], PACED);

      expect(operation).toMatchObject({ state: 'done', done: PACED.planned, skipped: 0 });
      await expectPaced(broker);
      await close();
    });
  },
  SIDE_BY_SIDE,
);

describeOnPostgres(
  'processes that carry a redrive on, and are killed, on Postgres',
  (server) => {
    it(
      'redrive each run exactly once, and count it',
      async (context) => {
        const pool = openPool(server().url, 4);
        const schema = await createTestSchema(pool);
        const { broker, close } = await schema.open();
        await bury(broker, RUNS);

        const operation = await redriveByMortals(
          context,
          broker,
          ['postgres', server().url, schema.name],
          ALL,
        );

        expect(operation).toMatchObject({ state: 'done', done: RUNS, skipped: 0 });
        await expectEachOnce(broker);
        await close();
        await schema.drop();
        await pool.end();
      },
      TIMEOUT_MS,
    );

    it('keep to the rate', { timeout: TIMEOUT_MS }, async (context) => {
      const pool = openPool(server().url, 4);
      const schema = await createTestSchema(pool);
      const { broker, close } = await schema.open();
      await bury(broker, PACED.planned);

      const operation = await redriveByMortals(
        context,
        broker,
        ['postgres', server().url, schema.name],
        PACED,
      );

      expect(operation).toMatchObject({ state: 'done', done: PACED.planned, skipped: 0 });
      await expectPaced(broker);
      await close();
      await schema.drop();
      await pool.end();
    });
  },
  SIDE_BY_SIDE,
);
