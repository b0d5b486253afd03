import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { describeBrokerContract } from './describe-broker-contract.ts';

describeOnRedis('the Redis broker by redis', (server) => {
  describeBrokerContract('a broker', { open: (options) => openRedisHarness(server().url, options) });
});
