import { checkArguments } from '../fields/check-arguments.ts';
import type { Policy } from '../policy/policy.ts';
import { read } from '../read.ts';
import type { Spread } from './spread.ts';
import type { World } from './world/world.ts';

/** What a policy does to a dependency: percentiles over all seeds, never one of them. */
export interface Timeline {
  /** The one that was simulated. */
  readonly policy: Policy;
  /** The world as it was simulated, with its defaults. */
  readonly world: World;
  /** How many seeds were run. */
  readonly runs: number;
  /** Steps of `world.bucketMs`, from the start on. */
  readonly buckets: readonly Bucket[];
  /** Calls that began. */
  readonly calls: Spread;
  /** Attempts that were sent to the server. */
  readonly attempts: Spread;
  /** Attempts per call, over all layers. */
  readonly amplification: Spread;
  /** The share of calls that succeeded; calls under way at the end did not. */
  readonly successShare: Spread;
  /** Calls that succeed in a second, in the same world without its trigger. */
  readonly normalPerSecond: number;
  /** The most attempts of a bucket over those of the same world without its trigger. */
  readonly peakOverNormal: Spread;
  /**
   * Milliseconds from the end of the trigger until 90 % of the normal goodput has come for 5 s; where the clients end by
   * themselves, until the last call has ended. `Infinity` in a run that did not recover within the duration.
   */
  readonly recoveryMs: Spread;
  /**
   * The share of seeds that are still down 30 s after the trigger: with less than half of the normal goodput in the
   * 10 s before; where the clients end by themselves, with less than half of the calls successful.
   */
  readonly collapsedShare: number;
  /** When the last call ended, from the start. */
  readonly lastEndMs: Spread;
}

/** One step of a timeline. */
export interface Bucket {
  /** When it begins. */
  readonly atMs: number;
  /** Calls that began. */
  readonly calls: Spread;
  /** Attempts that were sent: the load. */
  readonly attempts: Spread;
  /** Calls that succeeded: the goodput. */
  readonly successes: Spread;
}

/** @throws {InvalidOptionsError} when the value is not what `simulate` returns */
export function checkTimeline(timeline: unknown, subject: string): void {
  checkArguments(subject, { timeline: [timeline, A_TIMELINE] });
}

const A_TIMELINE = {
  accepts: (value: unknown): boolean =>
    typeof read(read(value, 'recoveryMs'), 'median') === 'number' && Array.isArray(read(value, 'buckets')),
  message: 'must be a timeline',
  cure: 'Use simulate(policy, world).',
};
