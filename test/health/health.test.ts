import { createMemoryBroker } from '@retry/inprocess/broker';
import { createClient } from 'redis';
import { describe } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { describeHealth } from './describe-health.ts';

describe('health on the memory broker', () => {
  describeHealth(async () => {
    const broker = createMemoryBroker();
    const unbalance = async () => ({
      ...broker,
      audit: async () => ({ ...(await broker.audit()), unbalanced: 5 }),
    });
    return { broker, unbalance, close: () => broker.close() };
  });
});

describeOnRedis('health on Redis', (server) => {
  describe.each([1, 3])('in %d partitions', (partitions) => {
    describeHealth(async () => {
      const { broker, prefix, close } = await openRedisHarness(server().url, { partitions });
      const unbalance = async () => {
        const client = await createClient({ url: server().url }).connect();
        await client.hIncrBy(`{${prefix}:0}:meta`, 'created', 5);
        client.destroy();
        return broker;
      };
      return { broker, unbalance, close };
    });
  });
});

describeOnPostgres('health on Postgres', (server) => {
  describeHealth(async () => {
    const pool = openPool(server().url, 4);
    const schema = await createTestSchema(pool);
    const { broker, close } = await schema.open();
    return {
      broker,
      unbalance: async () => {
        await pool.query(`insert into ${schema.name}.tally (submitted, forgotten) values (5, 0)`);
        return broker;
      },
      close: async () => {
        await close();
        await schema.drop();
        await pool.end();
      },
    };
  });
});
