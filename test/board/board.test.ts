import { createMemoryBroker } from '@retry/inprocess/broker';
import { describe } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { eachNth } from '../support/some-tests.ts';
import { describeBoard } from './describe-board.ts';

describe('a board on the memory broker', () => {
  describeBoard(async () => {
    const broker = createMemoryBroker();
    return { broker, close: () => broker.close() };
  });
});

describeOnRedis('a board on Redis', (server) => {
  describeBoard(() => openRedisHarness(server().url), eachNth(3, 'the memory broker'));
});

describeOnPostgres('a board on Postgres', (server) => {
  describeBoard(
    async () => {
      const pool = openPool(server().url, 4);
      const schema = await createTestSchema(pool);
      const { broker, close } = await schema.open();
      return {
        broker,
        close: async () => {
          await close();
          await schema.drop();
          await pool.end();
        },
      };
    },
    eachNth(3, 'the memory broker'),
  );
});
