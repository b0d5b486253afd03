import type { Broker } from '@retry/core/broker';
import type { Fault } from './fault.ts';

/** What the broker of `@retry/redis-queue` has besides. */
type Examined = Broker & Pick<import('@retry/redis-queue').RedisBroker, 'server'>;

/** Finds what is wrong with a Redis server. */
export async function checkRedis(broker: Broker): Promise<readonly Fault[]> {
  const report = await (broker as Examined).server(); // the target is Redis
  const { maxmemoryPolicy, persistence } = report;
  return [
    ...checkMemory(report),
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

/** From this part of `maxmemory` on, what is submitted may soon be refused. */
const MEMORY_PART = 0.8;

const MIB = 2 ** 20;

function checkMemory({
  maxmemory,
  usedMemory,
}: Pick<Awaited<ReturnType<Examined['server']>>, 'maxmemory' | 'usedMemory'>): readonly Fault[] {
  const threshold = maxmemory * MEMORY_PART;
  if (maxmemory === 0 || usedMemory < threshold) return [];
  return [
    {
      code: 'MEMORY_NEARLY_FULL',
      level: 'warning',
      figure: usedMemory,
      threshold,
      sentence: `The server uses ${Math.round(usedMemory / MIB)} of ${Math.round(maxmemory / MIB)} MiB (maxmemory); when it is full, it refuses submits.`,
      cure: 'Raise maxmemory, discard dead letters, or keep less of what has ended: keepBytes and keepCompleted of createRedisBroker.',
    },
  ];
}
