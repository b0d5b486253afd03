import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { openRedisHarness, openRedisQueue } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { describeBrokerContract } from './describe-broker-contract.ts';
import { describeWorkerOnBroker, PARTS_OF_CONNECTIONS } from './worker/describe-worker-on-broker.ts';

describeOnRedis('the Redis broker by ioredis', (server) => {
  let client: Redis;
  beforeAll(() => {
    client = new Redis(server().url);
  });
  afterAll(() => client.disconnect());

  describeBrokerContract('a broker', {
    open: (options) => openRedisHarness(server().url, { ...options, client }),
    everyNth: 10,
  });
  describeWorkerOnBroker('workers', {
    open: () => openRedisQueue(server().url, { client }),
    parts: PARTS_OF_CONNECTIONS,
  });
});
