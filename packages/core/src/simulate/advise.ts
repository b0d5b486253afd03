import type { PolicySettings } from '../policy/policy.ts';
import { allowedAttempts, settingsOf } from '../policy/settings.ts';
import type { Timeline } from './timeline.ts';
import { checkTimeline } from './timeline.ts';

/** Collapse in more than this share of the seeds is no accident. */
const RARE_SHARE = 0.05;

/** Load after the trigger over the normal one, which a dependency with little room to spare does not survive. */
const HIGH_LOAD = 2;

const SLOW_MS = 10_000;

/**
 * Returns one sentence: what to do about the storm that the timeline shows.
 *
 * @throws {InvalidOptionsError} when `timeline` is not what `simulate` returns
 */
export function advise(timeline: Timeline): string {
  checkTimeline(timeline, 'advise');
  const { collapsedShare, recoveryMs, runs } = timeline;
  if (collapsedShare > RARE_SHARE) {
    return `It is still down in ${Math.round(collapsedShare * runs)} of ${runs} seeds${againstCollapse(timeline)}.`;
  }
  if (recoveryMs.median === Infinity) {
    return `It is not normal again in the time that was watched${againstCollapse(timeline)}.`;
  }
  return `It recovers${afterRecovery(timeline)}.`;
}

function againstCollapse({ policy, world }: Timeline): string {
  const settings = settingsOf(policy);
  if (allowedAttempts(settings) === 1) {
    return ' without any retry: give it more capacity, or shed load before it queues';
  }
  if (world.layers > 1) return `: let the outermost of the ${world.layers} layers retry, and the others not`;
  if (world.traffic.type === 'closed' && isWithoutJitter(settings)) {
    return ": use jitter: 'full', so that clients that failed together do not return together";
  }
  return world.budget === undefined
    ? ": add a retry budget ({ type: 'ratio', ratio: 0.1 }), because delays only postpone the load"
    : ' in spite of its budget: lower the ratio, cut attempts that no caller waits for, or give it more capacity';
}

function afterRecovery(timeline: Timeline): string {
  const { policy, world, recoveryMs } = timeline;
  const settings = settingsOf(policy);
  if (allowedAttempts(settings) === 1) return '; the policy does not retry';
  if (loadAfter(timeline) > HIGH_LOAD && isWithoutJitter(settings)) {
    return ", but calls that failed together return together: use jitter: 'full'";
  }
  if (world.traffic.type === 'open' && world.budget === undefined) {
    return ' from this; a retry budget keeps it so when the trouble is longer or the capacity smaller';
  }
  if (recoveryMs.median > SLOW_MS) return ' slowly: lower maxDelay, so that the last retries come sooner';
  return ': keep it as it is';
}

/** Returns the highest load after the trigger over the normal one. */
function loadAfter({ buckets, peakOverNormal, world }: Timeline): number {
  const highest = (from: number): number =>
    buckets.reduce((most, { atMs, attempts }) => (atMs >= from ? Math.max(most, attempts.median) : most), 0);
  const peak = highest(0);
  return peak > 0 ? (highest(world.triggerEndMs) / peak) * peakOverNormal.median : 0;
}

/** Returns whether calls that fail together draw the same delay. */
function isWithoutJitter({ backoff, jitter }: PolicySettings): boolean {
  return jitter === 'none' && backoff.type !== 'decorrelated' && backoff.type !== 'custom';
}
