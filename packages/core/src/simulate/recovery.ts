import type { Observed } from './run/run-world.ts';
import type { World } from './world/world.ts';
import { endsByItself } from './world/world.ts';

/** Normal is this share of the normal goodput, or more. */
const HEALTHY_SHARE = 0.9;

/** Goodput has to be normal for so long, because arrivals vary from second to second. */
const HEALTHY_FOR_MS = 5_000;

/** Down is less than this share of the normal goodput. */
const COLLAPSED_SHARE = 0.5;

const COLLAPSED_AFTER_MS = 30_000;

const COLLAPSED_FOR_MS = 10_000;

/** Returns the milliseconds from the end of the trigger to recovery; `Infinity` if it did not recover, or to nothing. */
export function recoveryOf(world: World, run: Observed, normalPerSecond: number): number {
  if (endsByItself(world)) {
    const isDone = run.ended === sumOf(run.calls) && run.ended === callsOf(world);
    return isDone ? Math.max(run.lastEndMs - world.triggerEndMs, 0) : Infinity;
  }
  if (normalPerSecond === 0) return Infinity;
  const { bucketMs, triggerEndMs } = world;
  const width = Math.max(Math.round(HEALTHY_FOR_MS / bucketMs), 1);
  const wanted = (normalPerSecond * width * bucketMs * HEALTHY_SHARE) / 1_000;
  const { successes } = run;
  for (let first = Math.floor(triggerEndMs / bucketMs); first + width <= successes.length; first += 1) {
    const goodput = sumOf(successes.slice(first, first + width));
    if (goodput >= wanted) return Math.max(first * bucketMs - triggerEndMs, 0);
  }
  return Infinity;
}

/** Returns whether the run is still down 30 s after its trigger, or at its end if that comes first. */
export function isCollapsed(world: World, run: Observed, normalPerSecond: number): boolean {
  const { bucketMs, triggerEndMs, durationMs } = world;
  const at = Math.min(triggerEndMs + COLLAPSED_AFTER_MS, durationMs);
  const end = Math.floor(at / bucketMs);
  if (endsByItself(world)) return sumOf(run.successes.slice(0, end)) < callsOf(world) * COLLAPSED_SHARE;
  if (normalPerSecond === 0) return true;
  const width = Math.max(Math.round(COLLAPSED_FOR_MS / bucketMs), 1);
  const watched = run.successes.slice(Math.max(end - width, 0), end);
  return sumOf(watched) < (normalPerSecond * watched.length * bucketMs * COLLAPSED_SHARE) / 1_000;
}

/** Returns how many calls clients make that end by themselves. */
function callsOf({ traffic }: World): number {
  return traffic.type === 'closed' ? traffic.clients * traffic.calls : 0;
}

/** Returns the sum of numbers. */
export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
