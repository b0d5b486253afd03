import type { Policy } from '@retry/core';
import type { Spread, Timeline, WorldInput } from '@retry/core/simulate';
import { advise, compare } from '@retry/core/simulate';
import { readPolicy } from './inspect.ts';

/** What people set about the dependency and its callers; every rate is of a second. */
export interface HerdWorld {
  readonly traffic: 'open' | 'closed';
  /** Calls a second where the traffic is open, over 0. */
  readonly arrivals: number;
  /** Callers that wait for their answer where it is closed, an integer ≥ 1. */
  readonly clients: number;
  /** Requests a second that the server answers, over 0. */
  readonly capacity: number;
  readonly latencyMs: number;
  readonly trouble: 'outage' | 'brown-out';
  readonly troubleMs: number;
  readonly attemptTimeoutMs: number;
  readonly hasBudget: boolean;
}

/** What one policy does to the dependency; every list has one entry for each second. */
export interface Herd {
  readonly load: readonly Spread[];
  readonly goodput: readonly Spread[];
  readonly troubleFromMs: number;
  readonly troubleUntilMs: number;
  readonly capacity: number;
  readonly amplification: Spread;
  readonly successShare: Spread;
  /** `Infinity` where it did not recover in the time that was watched. */
  readonly recoveryMs: number;
  readonly collapsedShare: number;
  readonly runs: number;
  readonly advice: string;
}

/** Runs policies against the same calls and the same trouble; texts that are no policies are left out. */
export function simulateHerd(texts: readonly string[], world: HerdWorld): readonly Herd[] {
  const policies = texts.flatMap((text): readonly Policy[] => {
    const read = readPolicy(text);
    return 'policy' in read ? [read.policy] : [];
  });
  if (policies.length === 0) return [];
  return compare(policies, worldOf(world)).map((timeline) => herdOf(timeline, world));
}

function worldOf(world: HerdWorld): WorldInput {
  const { capacity, latencyMs, troubleMs, attemptTimeoutMs, hasBudget } = world;
  return {
    traffic: trafficOf(world),
    server: { type: 'capacity', perSecond: capacity, latency: latencyMs },
    trouble: { type: world.trouble, for: troubleMs },
    attemptTimeout: attemptTimeoutMs,
    ...(hasBudget && { budget: { type: 'ratio', ratio: 0.1 } }),
  };
}

function trafficOf({ traffic, arrivals, clients, capacity }: HerdWorld): WorldInput['traffic'] {
  if (traffic === 'open') return { perSecond: arrivals };
  return { type: 'closed', clients, pause: (clients / capacity) * 2_000 };
}

function herdOf(timeline: Timeline, { capacity }: HerdWorld): Herd {
  const { buckets, world, amplification, successShare, recoveryMs, collapsedShare, runs } = timeline;
  return {
    load: buckets.map(({ attempts }) => attempts),
    goodput: buckets.map(({ successes }) => successes),
    troubleFromMs: world.trouble?.fromMs ?? 0,
    troubleUntilMs: world.trouble?.untilMs ?? 0,
    capacity,
    amplification,
    successShare,
    recoveryMs: recoveryMs.median,
    collapsedShare,
    runs,
    advice: advise(timeline),
  };
}
