import { inspect } from 'node:util';
import { isRetryError } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestSchema } from '../postgres/open-broker.ts';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import type { BrokerHarness } from '../support/broker-scene.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { refusalOf } from '../support/wrong-input.ts';
import type { Value } from './wrong-values.ts';
import { VALUES } from './wrong-values.ts';

type Opened = Pick<BrokerHarness, 'broker' | 'close'>;

/** Runs the rules on a broker that keeps nothing else. */
function describeWrongValues(name: string, open: () => Promise<Opened>): void {
  describe(name, () => {
    let broker: Broker;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ broker, close } = await open());
      await broker.submit([{ id: 'a', lane: 'l', payload: '1' }]);
      const claim = {
        worker: 'w',
        requestId: 'first',
        limit: 1,
        lanes: new Map([['l', 1]]),
        leaseMs: 600_000,
      };
      await broker.settleAndClaim({ claim });
    });
    afterAll(() => close());

    it.each(VALUES)('refuses a wrong $path of $verb, names it and stores nothing', async (value) => {
      const before = await kept(broker);

      for (const wrong of value.takes.wrong) await expectRefusal(broker, value, wrong);

      expect(await kept(broker)).toEqual(before);
    });

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
    broker.get(['a', 'good', 'other', '{a}b']),
    broker.holds(),
    broker.operations?.list(),
  ]);
  return { audit, runs, holds, operations, workers: await broker.insight?.workers() };
}

function verbOf(broker: Broker, name: string): (input: unknown) => Promise<unknown> {
  const [first = '', second] = name.split('.');
  const part = broker[first as keyof Broker];
  const verb = second === undefined ? part : (part as unknown as Record<string, unknown>)[second];
  return verb as (input: unknown) => Promise<unknown>; // the table names verbs only
}

describeWrongValues('the memory broker', async () => {
  const broker = createMemoryBroker({ keepCompleted: Infinity });
  return { broker, close: broker.close };
});

describeOnRedis('by redis', (server) => {
  describeWrongValues('the Redis broker', () => openRedisHarness(server().url));
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

describe('the memory broker', () => {
  it.each(VALUES)('takes each right $path of $verb', async ({ takes, call }) => {
    for (const right of takes.right) {
      const broker = createMemoryBroker({ keepCompleted: Infinity });

      const error: unknown = await call(broker, right as never).then(
        () => undefined,
        (reason: unknown) => reason,
      );

      expect(error).toBeUndefined();
      await broker.close();
    }
  });
});
