import type { Hold, HoldRequest, HoldSource, ResumeRequest } from '@retry/core/broker';
import {
  compareHolds,
  hasHoldEnded,
  holdOf,
  isHoldActive,
  outlasts,
  probedHold,
} from '@retry/core/broker/kit';
import type { Store } from './store.ts';

/** In place of the lane of a hold of all lanes; no lane has an empty name. */
const ALL_LANES = '';

/** How many runs of a lane a claim may start: any number, one that probes, or none. */
export type Passage = 'open' | 'probe' | 'closed';

/** Returns which runs of a lane a claim may start. */
export function passageOf(store: Store, lane: string, now: number): Passage {
  if (heldUntil(store, lane, now) > now) return 'closed';
  return holdsOn(store, lane).some(({ probeMs }) => probeMs !== undefined) ? 'probe' : 'open';
}

/** Returns until when no run of a lane may start: 0 when it is not on hold, `Infinity` when it has to be resumed. */
export function heldUntil(store: Store, lane: string, now: number): number {
  let latest = 0;
  for (const hold of holdsOn(store, lane))
    if (isHoldActive(hold, now)) latest = Math.max(latest, hold.until ?? Infinity);
  return latest;
}

/** Notes that a run of the lane was let through: the next one only after `probeMs`. */
export function noteProbe(store: Store, lane: string, now: number): void {
  const ofLane = store.holds.get(lane);
  for (const [source, hold] of ofLane ?? []) ofLane?.set(source, probedHold(hold, now));
}

/** Puts a lane on hold, or all lanes; returns whether anything changed. */
export function putHold(store: Store, request: HoldRequest, now: number): boolean {
  forgetEnded(store, now);
  const { lane = ALL_LANES, source, keepLonger = false } = request;
  const hold = holdOf(request, now);
  const present = store.holds.get(lane)?.get(source);
  if (keepLonger && present !== undefined && outlasts(present, hold)) return false;
  const ofLane = store.holds.get(lane) ?? new Map<HoldSource, Hold>();
  store.holds.set(lane, ofLane.set(source, hold));
  return true;
}

/** Ends the holds of a lane, or of all lanes, of one source or of every one; returns whether there was any. */
export function endHolds(store: Store, { lane = ALL_LANES, source }: ResumeRequest, now: number): boolean {
  forgetEnded(store, now);
  const ofLane = store.holds.get(lane);
  if (ofLane === undefined || (source !== undefined && !ofLane.has(source))) return false;
  if (source !== undefined) ofLane.delete(source);
  if (source === undefined || ofLane.size === 0) store.holds.delete(lane);
  return true;
}

/** Returns the holds that have not ended, in the order in which they are listed. */
export function listHolds(store: Store, now: number): readonly Hold[] {
  forgetEnded(store, now);
  return [...store.holds.values()].flatMap((ofLane) => [...ofLane.values()]).sort(compareHolds);
}

const NONE: readonly Hold[] = [];

function holdsOn({ holds }: Store, lane: string): readonly Hold[] {
  if (holds.size === 0) return NONE;
  return [...(holds.get(ALL_LANES)?.values() ?? NONE), ...(holds.get(lane)?.values() ?? NONE)];
}

function forgetEnded({ holds }: Store, now: number): void {
  for (const [lane, ofLane] of holds) {
    for (const [source, hold] of ofLane) if (hasHoldEnded(hold, now)) ofLane.delete(source);
    if (ofLane.size === 0) holds.delete(lane);
  }
}
