import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { histories, playHistory } from './history.ts';

/** A fifth of the usual number: each history is some fifty calls. `FC_NUM_RUNS=2500` plays 500. */
const numRuns = propertyRuns(1 / 5);

async function comparePlans(broker: Broker): Promise<void> {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      number += 1;

      const { moved, expected, operation, isCounted } = await playHistory(broker, number, history);

      expect(moved).toEqual(expected);
      expect(isCounted).toBe(true);
      const { planned } = operation;
      expect(operation).toMatchObject({
        ...{ state: 'done', done: expected.length, skipped: planned - expected.length },
      });
      expect((await broker.audit()).unbalanced).toBe(0);
    }),
    { numRuns, endOnFailure: true },
  );
}

describe('a plan on the memory broker', () => {
  it('moves exactly what it counted and has not changed since', async () => {
    const broker = createMemoryBroker();
    await comparePlans(broker).finally(() => broker.close());
  });
});

describeOnRedis('a plan on Redis', (server) => {
  it.each([1, 3])(
    'moves exactly what it counted and has not changed since, in %d partitions',
    async (partitions) => {
      const harness = await openRedisHarness(server().url, { partitions });
      await comparePlans(harness.broker).finally(harness.close);
    },
  );
});

describeOnPostgres('a plan on Postgres', (server) => {
  it('moves exactly what it counted and has not changed since', async () => {
    const pool = openPool(server().url, 4);
    const schema = await createTestSchema(pool);
    const harness = await schema.open();
    await comparePlans(harness.broker).finally(harness.close);
    await schema.drop();
    await pool.end();
  });
});
