import { openRedisQueue } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { describeWorkerOnBroker } from './worker/describe-worker-on-broker.ts';

describeOnRedis('workers on the Redis broker', (server) => {
  describeWorkerOnBroker('by redis', { open: () => openRedisQueue(server().url) });
});
