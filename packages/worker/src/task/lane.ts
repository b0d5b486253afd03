import type { LaneConcurrency } from '@retry/core/broker';
import { MAX_CONCURRENCY } from '@retry/core/broker/kit';
import type { AnyTask } from './task.ts';

/** Returns the lane of a version of a task. */
export function laneOf({ name, version }: Pick<AnyTask, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

/** Returns name and version of the task of a lane, by its parts: neither contains an @. */
export function taskOfLane(lane: string): { readonly name: string; readonly version: string } {
  const [name = '', version = ''] = lane.split('@');
  return { name, version };
}

/** Returns how a broker applies the `globalConcurrency` of a task to the runs of its lane; `undefined` without one. */
export function globalLimitOf({ globalConcurrency, whenFull }: AnyTask): LaneConcurrency | undefined {
  if (globalConcurrency === Infinity) return undefined;
  return {
    limit: Math.min(globalConcurrency, MAX_CONCURRENCY),
    whenFull: whenFull === 'wait' ? 'wait' : 'claim',
  };
}
