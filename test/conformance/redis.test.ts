import { afterAll, beforeAll } from 'vitest';
import { type ClockedRedis, openClockedRedis } from '../redis-queue/scripted-redis.ts';
import { clockBroker } from '../support/clocked-broker.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { testPlayedCases } from './on-stage.ts';

describeOnRedis('the vectors of the lifecycle on Redis', (server) => {
  let redis: ClockedRedis;

  beforeAll(async () => {
    redis = await openClockedRedis(server().url);
  });
  afterAll(() => redis.close());

  testPlayedCases(async () => {
    const { openBroker, setTime } = redis.openQueue();
    return clockBroker(await openBroker(), setTime);
  });
});
