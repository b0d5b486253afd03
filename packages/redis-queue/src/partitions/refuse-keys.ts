import type { Claim, Submission } from '@retry/core/broker';
import { RedisBrokerError } from '../errors.ts';

/**
 * Refuses a run with a concurrency key or a fairness key: each partition would count, and give turns to, its own.
 *
 * @throws {RedisBrokerError} `NEEDS_ONE_PARTITION`
 */
export function refuseKeys({ id, concurrency, fairnessKey }: Submission): void {
  if (concurrency === undefined && fairnessKey === undefined) return;
  const kind = concurrency === undefined ? 'fairness' : 'concurrency';
  const message = `run ${id} has a ${kind} key, which works with one partition only. Use partitions: 1.`;
  throw new RedisBrokerError('NEEDS_ONE_PARTITION', message);
}

/** Refuses a claim of runs whose task limits them over all workers, for the same reason. @throws {RedisBrokerError} `NEEDS_ONE_PARTITION` */
export function refuseLaneLimits({ lanes, concurrency }: Claim): void {
  for (const lane of lanes.keys()) {
    if (concurrency?.has(lane) !== true) continue;
    const message = `the task of ${lane} has globalConcurrency, which works with one partition only. Use partitions: 1.`;
    throw new RedisBrokerError('NEEDS_ONE_PARTITION', message);
  }
}
