import type { Broker } from '@retry/core/broker';
import type { Fault } from './fault.ts';

/** What the broker of `@retry/redis-queue` has besides. */
type Examined = Broker & Pick<import('@retry/redis-queue').RedisBroker, 'server'>;

/** Finds what is wrong with a Redis server. */
export async function checkRedis(broker: Broker): Promise<readonly Fault[]> {
  const { maxmemoryPolicy, persistence } = await (broker as Examined).server(); // the target is Redis
  return [
    ...(maxmemoryPolicy.startsWith('allkeys')
      ? [
          {
            code: 'MAY_EVICT',
            level: 'critical',
            sentence: `The server may delete runs when memory is short: maxmemory-policy is ${maxmemoryPolicy}.`,
            cure: 'Run CONFIG SET maxmemory-policy noeviction, and keep caches on another server.',
          } as const,
        ]
      : []),
    ...(persistence === 'snapshots' || persistence === 'none'
      ? [
          {
            code: 'NO_APPEND_ONLY_FILE',
            level: 'warning',
            sentence: `A crash of the server loses runs: it has no append-only file, and ${
              persistence === 'none' ? 'no snapshots' : 'snapshots only'
            }.`,
            cure: 'Run CONFIG SET appendonly yes, and write appendonly yes into redis.conf.',
          } as const,
        ]
      : []),
  ];
}
