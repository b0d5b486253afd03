import type { Reservation, Reserved, StartCorrection } from '../reservation.ts';

/** A window has 32 buckets, and parts of two more. */
const BUCKETS = 32;

/** How many windows of different length the starts of one key are counted for. */
export const WINDOWS_OF_A_KEY = 4;

/** The starts of one key, counted by bucket for a window of one length. Plain data, at most 34 buckets. */
export interface WindowCounts {
  /** The window that the width of `buckets` is made for. */
  readonly windowMs: number;
  /** The latest instant at which starts were granted. */
  readonly latestAt: number;
  /** A bucket is `⌊instant ÷ width⌋`. Oldest first; those without starts are left out. */
  readonly buckets: readonly StartBucket[];
}

/** What is kept of one key: all its starts, counted for the window by which some were granted last. */
export interface StartCounts extends WindowCounts {
  /** What the same starts count as in up to three windows of other lengths, the last used ones first; absent where there are none. */
  readonly others?: readonly WindowCounts[];
}

/** Starts of one bucket. */
type StartBucket = readonly [bucket: number, starts: number];

/** The answer to a reservation, and what is kept from now on. */
export interface StartsReserved {
  /** What is to be kept; `undefined` if nothing has been granted yet. */
  readonly counts: StartCounts | undefined;
  /** The answer to the reservation. */
  readonly reserved: Reserved;
}

/**
 * Grants as many starts as the limit allows now: in no window `[t, t + windowMs)` are there more than `limit`, wherever it begins, by
 * whole milliseconds of the broker's clock.
 *
 * Starts are counted in buckets `max(1, ⌈windowMs ÷ 32⌉)` ms wide. A bucket counts as long as any instant in it is less than a window
 * ago, so each start counts for up to a bucket longer than a window: over a long time, up to about 3 % fewer starts are granted than
 * the limit allows. With a window of a minute, buckets are 1875 ms wide: what was granted at 0 and at 1800 is free again at 61 874.
 *
 * - *A clock that goes back* by at most a window: nothing is granted until it is where it was. By more: the limit begins anew.
 * - *Other numbers of the same key* hold at the same time: each start counts in every window that the key is asked by, of up to 4
 *   lengths; a fifth takes the place of the one that was used longest ago. A window that is new counts the starts of the shortest one
 *   that is longer, or of the longest one, each as of the end of its bucket there.
 */
export function reserveStarts(
  before: StartCounts | undefined,
  { limit, windowMs, count, least = 1 }: Omit<Reservation, 'key'>,
  now: number,
): StartsReserved {
  const known = before === undefined ? [] : [before, ...(before.others ?? [])];
  const { latestAt, buckets } = countsAt(sourceOf(known, windowMs), windowMs, now);
  const counted = within(windowMs, buckets, Math.max(now, latestAt));
  const left = Math.max(0, limit - sumOf(counted));
  const granted = now < latestAt || left < least ? 0 : Math.min(count, left);
  if (granted === 0) {
    const availableAt = left >= least ? latestAt : freeAt(counted, limit - least, windowMs);
    return { counts: before, reserved: { granted, availableAt } };
  }
  const after = addStarts(counted, bucketOf(now, windowMs), granted);
  const others = known
    .filter((one) => one.windowMs !== windowMs)
    .slice(0, WINDOWS_OF_A_KEY - 1)
    .map((one) => countStarts(one, granted, now));
  return {
    counts: { windowMs, latestAt: now, buckets: after, ...(others.length > 0 && { others }) },
    reserved: {
      ...{ granted, grantedAt: now },
      ...(granted < count && { availableAt: freeAt(after, limit - least, windowMs) }),
    },
  };
}

/**
 * Corrects starts that were granted: those of that instant's bucket become more or fewer, in each window that is kept, but never fewer
 * than none. What has left a window as of its latest instant changes nothing there.
 *
 * Starts that a window counts as of a later bucket, because it was new or the clock was back, are not taken away from it: a window never
 * counts fewer than there were.
 */
export function correctStarts(
  before: StartCounts | undefined,
  correction: Omit<StartCorrection, 'key'>,
): StartCounts | undefined {
  if (before === undefined) return undefined;
  const others = before.others?.map((one) => correctWindow(one, correction));
  return { ...correctWindow(before, correction), ...(others && { others }) };
}

/** Answers a reservation, or corrects starts that were granted. */
export function answerStarts(
  before: StartCounts | undefined,
  request: Reservation | StartCorrection,
  now: number,
): StartsReserved {
  if (!('grantedAt' in request)) return reserveStarts(before, request, now);
  return { counts: correctStarts(before, request), reserved: { granted: 0 } };
}

/** Returns from when on the counts of a limit can make no difference, unless the clock goes back by more than a window. */
export function forgetStartsAt(counts: StartCounts): number {
  const forgetAt = ({ windowMs, latestAt }: WindowCounts): number =>
    latestAt + 2 * windowMs + bucketMs(windowMs);
  return Math.max(...[counts, ...(counts.others ?? [])].map(forgetAt));
}

/** The width of a bucket, in whole milliseconds. */
function bucketMs(windowMs: number): number {
  return Math.max(1, Math.ceil(windowMs / BUCKETS));
}

function bucketOf(at: number, windowMs: number): number {
  return Math.floor(at / bucketMs(windowMs));
}

/** Returns the counts of this window; where it has none, of the shortest that is longer; where there is none, of the longest. */
function sourceOf(known: readonly WindowCounts[], windowMs: number): WindowCounts | undefined {
  const ascending = [...known].sort((one, other) => one.windowMs - other.windowMs);
  return ascending.find((one) => one.windowMs >= windowMs) ?? ascending.at(-1);
}

/** Returns what is kept, in buckets of this window. */
function countsAt(
  before: WindowCounts | undefined,
  windowMs: number,
  now: number,
): Pick<WindowCounts, 'latestAt' | 'buckets'> {
  if (before === undefined || now < before.latestAt - windowMs) return { latestAt: now, buckets: [] };
  if (before.windowMs === windowMs) return before;
  const { latestAt } = before;
  const oldMs = bucketMs(before.windowMs);
  let buckets: readonly StartBucket[] = [];
  for (const [bucket, starts] of before.buckets) {
    const lastAt = Math.min((bucket + 1) * oldMs - 1, latestAt);
    buckets = addStarts(buckets, bucketOf(lastAt, windowMs), starts);
  }
  return { latestAt, buckets };
}

/** Returns the buckets that have an instant in the window that ends at `at`. */
function within(windowMs: number, buckets: readonly StartBucket[], at: number): readonly StartBucket[] {
  const first = bucketOf(at - windowMs + 1, windowMs);
  return buckets.filter(([bucket]) => bucket >= first);
}

/** Counts starts that were granted by a window of another length; while the clock is back, as of the latest instant. */
function countStarts(before: WindowCounts, starts: number, now: number): WindowCounts {
  const { windowMs } = before;
  const { latestAt, buckets } = countsAt(before, windowMs, now);
  const at = Math.max(now, latestAt);
  const after = addStarts(within(windowMs, buckets, at), bucketOf(at, windowMs), starts);
  return { windowMs, latestAt: at, buckets: after };
}

function correctWindow(before: WindowCounts, correction: Omit<StartCorrection, 'key'>): WindowCounts {
  const { windowMs, latestAt, buckets } = before;
  const { grantedAt, count } = correction;
  const bucket = bucketOf(grantedAt, windowMs);
  if (grantedAt > latestAt || within(windowMs, [[bucket, 0]], latestAt).length === 0) return before;
  const [known] = buckets.filter(([one]) => one === bucket);
  if (known === undefined && count < 0) return before;
  const earlier = buckets.filter(([one]) => one < bucket);
  const later = buckets.filter(([one]) => one > bucket);
  const corrected: StartBucket = [bucket, Math.max(0, (known?.[1] ?? 0) + count)];
  return { windowMs, latestAt, buckets: [...earlier, corrected, ...later] };
}

/** Returns the first instant at which enough buckets have left the window for the others to be no more than this many. */
function freeAt(counted: readonly StartBucket[], most: number, windowMs: number): number {
  const widthMs = bucketMs(windowMs);
  let kept = sumOf(counted);
  let at = 0;
  for (const [bucket, starts] of counted) {
    if (kept <= most) break;
    kept -= starts;
    at = (bucket + 1) * widthMs + windowMs - 1;
  }
  return at;
}

/** Adds starts to the latest bucket, or to one that follows it. */
function addStarts(buckets: readonly StartBucket[], bucket: number, starts: number): readonly StartBucket[] {
  const last = buckets.at(-1);
  if (last === undefined || last[0] !== bucket) return [...buckets, [bucket, starts]];
  return [...buckets.slice(0, -1), [bucket, last[1] + starts]];
}

function sumOf(buckets: readonly StartBucket[]): number {
  return buckets.reduce((sum, [, starts]) => sum + starts, 0);
}
