import type { LaneConcurrency } from '@retry/core/broker';
import { MAX_CONCURRENCY } from '@retry/core/broker/kit';
import type { AnyTask } from './task.ts';

/** Returns how a broker applies the `globalConcurrency` of a task to the runs of its lane; `undefined` without one. */
export function globalLimitOf({ globalConcurrency, whenFull }: AnyTask): LaneConcurrency | undefined {
  if (globalConcurrency === Infinity) return undefined;
  return {
    limit: Math.min(globalConcurrency, MAX_CONCURRENCY),
    whenFull: whenFull === 'wait' ? 'wait' : 'claim',
  };
}
