import type { Deed } from './plan.ts';
import { CLEANER_MS, LEASE_MS, PROMPT_MS } from './plan.ts';

/** How long after a disturbance a cleaner lets the living renew their leases, in ms: an interval of their heartbeats and a reconnect. */
const FOR_THE_LIVING_MS = LEASE_MS / 3 + 2_500;

/** How many calls there are between the expiry of a lease and the event that it was found, each of which takes a prompt beat at most. */
const CALLS = 5;

/**
 * How long after the latest disturbance a stall is found, at most, in ms. Whatever the machine is busy with is no part of it, as that is a
 * disturbance.
 */
const FOUND_WITHIN_MS = Math.max(LEASE_MS, FOR_THE_LIVING_MS) + CLEANER_MS + CALLS * PROMPT_MS;

/** A time in which some process was not prompt, in epoch milliseconds. */
interface Disturbance {
  readonly from: number;
  readonly until: number;
}

/**
 * By how much a stall was found too late, at most, in ms; ≤ 0 when none was. Only calm counts: a stall may be found late where a worker was
 * struck or any worker process had to wait for the processor or the server shortly before, because its lease, the wait for the living and the
 * look of a cleaner begin anew then. In a calm every process beats promptly, so nothing but the worker can delay it.
 *
 * @param strikes - when workers were struck, in epoch ms
 */
export function latenessOfStalls(deeds: readonly Deed[], strikes: readonly number[]): number {
  return longestCalm(deeds, strikes) - FOUND_WITHIN_MS;
}

/** How long there had been no disturbance when a stall was found, at most, in ms: on a machine that is too busy, too short to judge by. */
export function longestCalm(deeds: readonly Deed[], strikes: readonly number[]): number {
  const disturbances = disturbancesOf(deeds, strikes);
  const calms = deeds.flatMap((deed) => (deed.type === 'stalled' ? [calmBefore(deed.at, disturbances)] : []));
  return calms.reduce((longest, ms) => Math.max(longest, ms), 0);
}

/** The strikes, and the beats that were not prompt. A process that was killed may have waited for its next beat since the latest one. */
function disturbancesOf(deeds: readonly Deed[], strikes: readonly number[]): readonly Disturbance[] {
  const beats = deeds.filter((deed) => deed.type === 'beat');
  const latest = new Map(beats.map(({ by, at }) => [by, at]));
  const unfinished = [...latest.values()].flatMap((from) => {
    const until = strikes.find((strike) => strike >= from);
    return until === undefined ? [] : [{ from, until }];
  });
  const times = [...beats.map(({ from, at }) => ({ from, until: at })), ...unfinished];
  return [
    ...strikes.map((at) => ({ from: at, until: at })),
    ...times.filter(({ from, until }) => until - from > PROMPT_MS),
  ];
}

/** How long there had been no disturbance at this instant, in ms; ≤ 0 within one. */
function calmBefore(at: number, disturbances: readonly Disturbance[]): number {
  const before = disturbances.filter(({ from }) => from <= at);
  return at - before.reduce((latest, { until }) => Math.max(latest, until), 0);
}
