import { formatDuration } from '../duration.ts';
import { readOptions } from '../fields/read-options.ts';
import { integerFrom } from '../fields/value-rules.ts';
import { advise } from './advise.ts';
import { numbersPerMark, sparkLine } from './spark-line.ts';
import type { Bucket, Timeline } from './timeline.ts';
import { checkTimeline } from './timeline.ts';
import type { World } from './world/world.ts';
import { endsByItself } from './world/world.ts';

/** Options of `renderTimeline`. */
export interface RenderOptions {
  /** Marks of a line at most, an integer ≥ 1. @default 60 */
  readonly width?: number | undefined;
}

/**
 * Returns a timeline as text for people: load and goodput as spark lines, the figures, and what to do.
 *
 * @throws {InvalidOptionsError} when `timeline` is not what `simulate` returns, or an option is wrong
 */
export function renderTimeline(timeline: Timeline, options: RenderOptions = {}): string {
  const { width } = readOptions(options, { subject: 'renderTimeline', keys: ['width'] }, (fields) => ({
    width: fields.number('width', 60, integerFrom(1, 'Leave it out for 60 marks.')),
  }));
  checkTimeline(timeline, 'renderTimeline');
  const { attempts, calls, amplification, successShare, peakOverNormal, runs } = timeline;
  const spread = `p95 ${fixed(amplification.p95)}`;
  return [
    ...drawLines(timeline, width),
    `calls     ${whole(calls.median)}, of which ${percent(successShare.median)} succeed`,
    `attempts  ${whole(attempts.median)}: ${fixed(amplification.median)} a call (${spread}), at the peak ${fixed(peakOverNormal.median)} times the normal load`,
    `recovery  ${recoveryText(timeline)}`,
    `advice    ${advise(timeline)}`,
    `          (median of ${runs} seeds)`,
  ].join('\n');
}

function drawLines({ buckets, world }: Timeline, width: number): readonly string[] {
  const median = (figure: 'attempts' | 'successes'): readonly number[] =>
    buckets.map((bucket: Bucket) => bucket[figure].median);
  const highest = (most: number, value: number): number => Math.max(most, value);
  const top = median('successes').reduce(highest, median('attempts').reduce(highest, 1));
  const mark = formatDuration(numbersPerMark(buckets.length, width) * world.bucketMs);
  const perSecond = whole((top * 1_000) / world.bucketMs);
  return [
    `load      ${sparkLine(median('attempts'), { width, top })}`,
    `goodput   ${sparkLine(median('successes'), { width, top })}`,
    `          a mark is ${mark}, the highest ${perSecond}/s${triggerText(world)}`,
  ];
}

function triggerText({ trouble, triggerEndMs }: World): string {
  if (trouble !== undefined) {
    return `; ${trouble.type} from ${formatDuration(trouble.fromMs)} to ${formatDuration(trouble.untilMs)}`;
  }
  return triggerEndMs > 0 ? `; the surge is over at ${formatDuration(triggerEndMs)}` : '';
}

function recoveryText({ recoveryMs, collapsedShare, world, runs }: Timeline): string {
  const after = endsByItself(world) ? 'the last call ends' : 'normal again';
  const down = Math.round(collapsedShare * runs);
  const median = lateness(recoveryMs.median);
  return `${after} after ${median} (median; p95 ${lateness(recoveryMs.p95)}); ${down} of ${runs} seeds are down 30 s after the trigger`;
}

function lateness(ms: number): string {
  return ms === Infinity ? 'never' : formatDuration(ms);
}

function fixed(value: number): string {
  return value.toFixed(2);
}

function whole(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ' ');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
