import type { Hold, HoldRequest } from '../hold.ts';
import { keepableMs } from './limits.ts';

/** Returns the hold that a request puts on its lane at this instant. Instants and durations are whole milliseconds. */
export function holdOf(request: HoldRequest, now: number): Hold {
  const { lane, source, reason, by, until, forMs, probeMs } = request;
  const ends = [until, forMs === undefined ? undefined : now + Math.max(0, forMs)];
  const known = ends.filter((end) => end !== undefined);
  return {
    ...(lane !== undefined && { lane }),
    source,
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
    heldAt: now,
    ...(known.length > 0 && { until: keepableMs(Math.max(...known)) }),
    ...(probeMs !== undefined && { probeMs: keepableMs(probeMs) }),
  };
}

/** Returns whether no run of the lane may start because of this hold. */
export function isHoldActive({ until }: Hold, now: number): boolean {
  return until === undefined || until > now;
}

/** Returns whether the hold is over and may be forgotten. One that probes is not over before it is resumed. */
export function hasHoldEnded(hold: Hold, now: number): boolean {
  return hold.probeMs === undefined && !isHoldActive(hold, now);
}

/** Returns whether the first of two holds ends later than the second, or does not end by itself. */
export function outlasts(hold: Hold, other: Hold): boolean {
  return hold.until === undefined || hold.until > (other.until ?? Infinity);
}

/** Returns a hold that has just let a run through: it probes again `probeMs` from now. */
export function probedHold(hold: Hold, now: number): Hold {
  return hold.probeMs === undefined ? hold : { ...hold, until: keepableMs(now + hold.probeMs) };
}

/** Compares holds by the order in which they are listed: by lane and source, those of all lanes first. */
export function compareHolds(left: Hold, right: Hold): number {
  return compareText(left.lane ?? '', right.lane ?? '') || compareText(left.source, right.source);
}

/** Compares texts by their UTF-16 units. */
export function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
