import type { Claim, Submission } from '@retry/core/broker';
import { RedisBrokerError } from '../errors.ts';

/** Refuses a run with a concurrency key, of which each partition would count its own. @throws {RedisBrokerError} `NEEDS_ONE_PARTITION` */
export function refuseConcurrency({ id, concurrency }: Submission): void {
  if (concurrency === undefined) return;
  const message = `run ${id} has a concurrency key, which works with one partition only. Use partitions: 1.`;
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
