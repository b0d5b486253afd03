import { inspect } from 'node:util';
import { isRetryError } from '@retry/core';
import type { Broker, Run } from '@retry/core/broker';
import { listHolds, listOperations, listWorkers, newRun } from '@retry/core/broker/kit';
import { isEnd } from '@retry/core/lifecycle';
import { createMemoryBroker } from '@retry/inprocess/broker';
import fc from 'fast-check';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestSchema } from '../postgres/open-broker.ts';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import type { BrokerHarness } from '../support/broker-scene.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { refusalOf } from '../support/wrong-input.ts';
import type { Value } from './wrong-values.ts';
import { MOVES, VALUES } from './wrong-values.ts';

type Opened = Pick<BrokerHarness, 'broker' | 'close'>;

/** The runs that calls submit or settle. */
const RUNS = ['a', 'good', 'other', '{a}b'];

/** Runs the rules on a broker that keeps nothing else. */
function describeWrongValues(name: string, open: () => Promise<Opened>): void {
  // In this order: on Postgres all share a schema, and the last property leaves runs in it.
  describe(name, { shuffle: false }, () => {
    let broker: Broker;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ broker, close } = await open());
      await claimOne(broker);
    });
    afterAll(() => close());

    it.each(VALUES)('refuses a wrong $path of $verb, names it and stores nothing', async (value) => {
      const before = await kept(broker);

      for (const wrong of value.takes.wrong) await expectRefusal(broker, value, wrong);

      expect(await kept(broker)).toEqual(before);
    });

    it.each(VALUES)(
      'takes each right $path of $verb, and keeps it as the memory broker does',
      async (value) => {
        for (const right of value.takes.right)
          expect(await afterCall(open, value, right), inspect(right)).toEqual(
            await afterCall(openMemory, value, right),
          );
      },
    );

    it.each([-1, 0, 2, 10 ** 10, 2 ** 53 - 1])(
      'settles nothing by the epoch %d, which the run does not have, nor harms what is beside it',
      async (epoch) => {
        const opened = await open();
        await claimOne(opened.broker);
        const given = { id: 'a', lane: 'l', payload: '1', state: 'completed' } as const;
        const next = { ...newRun(given as never), ...given, epoch: Math.max(epoch, 0) };

        const { settled } = await opened.broker.exchange({
          settle: [
            { id: 'a', epoch, event: 'complete', next },
            { id: 'none', epoch, event: 'complete', next: { ...next, id: 'none' } },
          ],
        });

        const [run] = await opened.broker.get(['a']);
        await opened.close();
        expect(settled).toEqual(['fenced', 'gone']);
        expect(run).toMatchObject({ state: 'started', epoch: 1, errors: [] });
      },
    );

    it('refuses what is no object or list at all, whatever the verb', async () => {
      const verbs = [...new Set(VALUES.map(({ verb }) => verb))];
      for (const verb of verbs)
        for (const input of [null, true, 'text', Symbol('input')]) {
          const { problems } = await refusalOf(() => verbOf(broker, verb)(input));
          expect(problems.length, verb).toBeGreaterThan(0);
        }
    });

    it('answers any value, or refuses it: it rejects with no other error', async () => {
      const odd = fc.oneof(fc.anything({ withBigInt: true, withDate: true, withMap: true }), fc.double());
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...VALUES), odd, async ({ call }, value) => {
          const error = await call(broker, value as never).then(
            () => undefined,
            (reason: unknown) => reason,
          );
          const isExpected =
            error === undefined ||
            isRetryError(error, 'INVALID_OPTIONS') ||
            isRetryError(error, 'INVALID_SETTLEMENT');
          if (!isExpected) throw error;
        }),
      );
    });
  });
}

/** Makes a run that is claimed. */
async function claimOne(broker: Broker): Promise<void> {
  await broker.submit([{ id: 'a', lane: 'l', payload: '1' }]);
  const lanes = new Map([['l', 1]]);
  await broker.exchange({
    claim: { worker: 'w', requestId: 'first', limit: 1, lanes, leaseMs: 600_000 },
  });
}

/** What a broker of its own keeps after the call with this value, which it has to take. */
async function afterCall(open: () => Promise<Opened>, { call }: Value, right: unknown): Promise<unknown> {
  const { broker, close } = await open();
  try {
    await claimOne(broker);
    await call(broker, right as never);
    return (await broker.get(RUNS)).map(shownOf);
  } finally {
    await close();
  }
}

/** What a settlement alone decides; instants that it leaves out differ by broker. */
function shownOf(run: Run | undefined): object | undefined {
  if (run === undefined) return undefined;
  const { id, lane, payload, result, previousDelayMs, errors } = run;
  const { failures, stalls, releases, rateLimits, redrives, resetEpoch } = run;
  const counters = { failures, stalls, releases, rateLimits, redrives, resetEpoch };
  return { id, lane, payload, result, previousDelayMs, errors, counters, isEnd: isEnd(run.state) };
}

async function expectRefusal(broker: Broker, { call, path, verb }: Value, wrong: unknown): Promise<void> {
  const shown = `${verb} ${path} = ${inspect(wrong)}`;
  const error: unknown = await call(broker, wrong as never).catch((reason: unknown) => reason);
  expect(isRetryError(error, 'INVALID_OPTIONS'), `${shown} answered ${String(error)}`).toBe(true);
  const { problems } = error as Awaited<ReturnType<typeof refusalOf>>; // as just checked
  const problem = problems.find((one) => one.path === path);
  expect(problem, `${shown} named ${problems.map((one) => one.path).join(', ')}`).toBeDefined();
  expect(problem?.cure, shown).toMatch(/\.$/);
  if (typeof wrong !== 'object') expect(problem?.value, shown).toBe(wrong);
  expect(broker.isRefusal(error), shown).toBe(true);
}

/** What the calls could have changed. */
async function kept(broker: Broker): Promise<unknown> {
  const [audit, runs, holds, operations] = await Promise.all([
    broker.audit(),
    broker.get(RUNS),
    listHolds(broker),
    listOperations(broker),
  ]);
  return { audit, runs, holds, operations, workers: await listWorkers(broker) };
}

function verbOf(broker: Broker, name: string): (input: unknown) => Promise<unknown> {
  const moves: Readonly<Record<string, (broker: Broker, input: never) => Promise<unknown>>> = MOVES;
  const move = moves[name];
  if (move !== undefined) return (input) => move(broker, input as never); // wrong on purpose
  const [first = '', second] = name.split('.');
  const part = broker[first as keyof Broker];
  const verb = second === undefined ? part : (part as unknown as Record<string, unknown>)[second];
  return verb as (input: unknown) => Promise<unknown>; // the table names verbs only
}

async function openMemory(): Promise<Opened> {
  const broker = createMemoryBroker({ keepCompleted: { count: Infinity } });
  return { broker, close: broker.close };
}

describeWrongValues('the memory broker', openMemory);

describeOnRedis('by redis', (server) => {
  // A connection for each value would take longer than the value.
  let client: ReturnType<typeof createClient>;
  beforeAll(async () => {
    client = createClient({ url: server().url });
    await client.connect();
  });
  afterAll(() => client.close());

  describeWrongValues('the Redis broker', () => openRedisHarness(server().url, { client }));
});

describeOnPostgres('by pg', (server) => {
  let schema: TestSchema | undefined;
  let end: () => Promise<void> = async () => {};
  beforeAll(async () => {
    const pool = openPool(server().url);
    schema = await createTestSchema(pool);
    end = () => pool.end();
  });
  afterAll(async () => {
    await schema?.drop();
    await end();
  });

  describeWrongValues(
    'the Postgres broker',
    () => schema?.open() ?? Promise.reject(new Error('there is no schema yet')),
  );
});
