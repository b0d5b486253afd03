export type { RedisBroker } from './create-redis-broker.ts';
export { createRedisBroker } from './create-redis-broker.ts';
export type { ServerReport } from './driver/doctor.ts';
export type { QueuesReport } from './driver/find-queues.ts';
export type {
  IoRedisClient,
  NodeRedisClient,
  NodeRedisCluster,
  RedisClient,
} from './driver/redis-client.ts';
export type { RedisErrorCode } from './errors.ts';
export { RedisBrokerError } from './errors.ts';
export type { RedisBrokerOptions } from './options.ts';
