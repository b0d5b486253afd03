export type { RedisBroker } from './create-redis-broker.ts';
export { createRedisBroker } from './create-redis-broker.ts';
export type { ServerReport } from './driver/doctor.ts';
export type {
  IoRedisClient,
  IoRedisListener,
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisListener,
  RedisClient,
} from './driver/redis-client.ts';
export { RedisBrokerError } from './errors.ts';
export type { RedisBrokerOptions } from './options.ts';
