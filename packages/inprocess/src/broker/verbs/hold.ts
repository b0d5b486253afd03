import type { HoldRequest, ResumeAnswer, ResumeRequest } from '@retry/core/broker';
import { endHolds, putHold } from '../record/holds.ts';
import type { Store } from '../record/store.ts';
import { rearm } from '../wake/wake.ts';

/** Puts a lane on hold, or all lanes. */
export function holdLane(store: Store, request: HoldRequest, now: number): void {
  if (putHold(store, request, now)) rearmLanes(store, request.lane);
}

/** Ends the holds of a lane, or those of all lanes. */
export function resumeLane(store: Store, request: ResumeRequest, now: number): ResumeAnswer {
  if (!endHolds(store, request, now)) return 'none';
  rearmLanes(store, request.lane);
  return 'resumed';
}

/** A hold that begins, ends or changes decides when the workers that wait for the lane have work. */
function rearmLanes(store: Store, name: string | undefined): void {
  const lane = name === undefined ? undefined : store.lanes.get(name);
  const lanes = name === undefined ? store.lanes.values() : lane === undefined ? [] : [lane];
  for (const one of lanes) rearm(store, one);
}
