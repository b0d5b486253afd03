import type { Hold, HoldRequest, ResumeAnswer, ResumeRequest } from '@retry/core/broker';
import { compareHolds, holdOf } from '@retry/core/broker/kit';

/** The holds of lanes. */
export type Holds = ReturnType<typeof createHolds>;

/** Creates an empty list of holds. */
export function createHolds() {
  let holds: readonly Hold[] = [];

  function isActive({ until }: Hold, now: number): boolean {
    return until === undefined || until > now;
  }

  function holdsOn(lane: string): readonly Hold[] {
    return holds.filter((hold) => hold.lane === undefined || hold.lane === lane);
  }

  /** Until when the lane is on hold: 0 when it is not. */
  function heldUntil(lane: string, now: number): number {
    const active = holdsOn(lane).filter((hold) => isActive(hold, now));
    return Math.max(0, ...active.map(({ until }) => until ?? Infinity));
  }

  function probes(lane: string): boolean {
    return holdsOn(lane).some(({ probeMs }) => probeMs !== undefined);
  }

  /** The next run of the lane is let through `probeMs` from now. */
  function noteProbe(lane: string, now: number): void {
    holds = holds.map((hold) =>
      hold.lane === lane && hold.probeMs !== undefined ? { ...hold, until: now + hold.probeMs } : hold,
    );
  }

  function holdOne(request: HoldRequest, now: number): void {
    const hold = holdOf(request, now);
    const isSame = ({ lane, source }: Hold): boolean => lane === request.lane && source === request.source;
    const present = list(now).find(isSame);
    const lastsLonger = present && (present.until ?? Infinity) > (hold.until ?? Infinity);
    if (request.keepLonger && present && (lastsLonger || present.until === undefined)) return;
    holds = [...holds.filter((other) => !isSame(other)), hold];
  }

  function resumeOne({ lane, source }: ResumeRequest, now: number): ResumeAnswer {
    const isMeant = (hold: Hold): boolean =>
      hold.lane === lane && (source === undefined || hold.source === source);
    if (!list(now).some(isMeant)) return 'none';
    holds = holds.filter((hold) => !isMeant(hold));
    return 'resumed';
  }

  function list(now: number): readonly Hold[] {
    return holds.filter((hold) => isActive(hold, now) || hold.probeMs !== undefined).sort(compareHolds);
  }

  return { heldUntil, probes, noteProbe, holdOne, resumeOne, list };
}
