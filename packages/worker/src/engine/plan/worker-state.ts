import type { ClaimedRun, LaneConcurrency } from '@retry/core/broker';
import type { WorkerSettings } from '../../options.ts';
import { globalLimitOf } from '../../task/lane.ts';
import { LaneChoice, LanePauses } from './lane-choice.ts';
import { Lateness } from './lateness.ts';
import { PrefetchEstimate } from './prefetch.ts';
import type { SharedClaim } from './retry-share.ts';
import { isApart, RetryShares } from './retry-share.ts';
import type { SharedLimit } from './shared-limit.ts';
import { createSharedLimits } from './shared-limit.ts';
import { claimsOneByOne, Slots } from './slots.ts';

/** A claimed run that waits for a slot. */
export interface WaitingRun {
  readonly hasEnded: boolean;
}

/** Runs that wait together since their claim was answered. */
interface WaitingBatch<Run extends WaitingRun> {
  readonly since: number;
  readonly runs: readonly Run[];
  /** The index of the first one that still waits. */
  first: number;
}

/** Why nothing more is claimed. `empty`: nothing that may start now is due. */
export type ClaimsEnd = 'empty' | 'maxRuns';

/** What a worker that drains has done of it. */
interface DrainState {
  /** How many handlers may be called; `Infinity` for no limit. */
  readonly maxRuns: number;
  /** How many of the runs that have ended had their handlers called. */
  started: number;
  /** What pending claims may return. */
  asked: number;
  /** Whether leases that had expired before are settled, so that their runs are among those that are claimed. */
  isCleaned: boolean;
}

/** A claim of all lanes with room that returned no runs. */
export interface EmptyClaim {
  readonly lanes: ReadonlySet<string>;
  /** How long until the next scheduled run of these lanes is due, in ms. */
  readonly dueInMs: number;
  /** When that is, in epoch ms by the broker's clock; `Infinity` if there is none. */
  readonly nextRunAt: number;
}

/** A claim that leaves now. */
export interface PlannedClaim extends SharedClaim {
  /** Whether it asks all lanes with room. */
  readonly isOfAll: boolean;
  /** Whether it asks the lanes that were empty before. */
  readonly asksEmpty: boolean;
}

/** What a claim returned. */
export interface Received {
  readonly claimed: readonly ClaimedRun[];
  /** The broker's clock. */
  readonly now: number;
  readonly nextRunAt?: number | undefined;
  /** The lanes whose claims were answered. */
  readonly lanes: readonly string[];
}

/**
 * What a worker knows of itself, as data: `apply` changes it by what has happened, and `plan` reads what follows. Instants are by the
 * worker's clock, in epoch ms.
 */
export interface WorkerState<Run extends WaitingRun = WaitingRun> {
  readonly concurrency: number;
  /** How long nothing may be asked of the broker, at most, in ms. */
  readonly pollMs: number;
  /** How long a settlement waits for others, at most, in ms. */
  readonly settleMs: number;
  /** Whether only one claim may be under way. */
  readonly isSerial: boolean;
  /** The limits over all workers of the tasks that have one, by lane. */
  readonly limits: ReadonlyMap<string, LaneConcurrency>;
  /** The limits of starts that all workers share, by lane. */
  readonly sharedLimits: ReadonlyMap<string, SharedLimit>;
  /** The shares of retries in the starts of the tasks that have one; `undefined` without any. */
  readonly retryShares: RetryShares | undefined;
  readonly slots: Slots;
  readonly estimate: PrefetchEstimate;
  readonly choice: LaneChoice;
  readonly pauses: LanePauses;
  readonly lateness: Lateness;
  /** Claimed runs that wait for a slot, in the order of their claims. */
  waiting: WaitingBatch<Run>[];
  /** Claimed runs that have not ended here. */
  leased: number;
  /** Settlements that wait for an exchange, and since when the first of them does. */
  queued: number;
  queuedSince: number | undefined;
  /** Settlements that were sent and have not been answered. */
  unanswered: number;
  /** Exchanges under way. */
  exchanges: number;
  /** The latest claim, if it returned nothing, and nothing has happened since. */
  empty: EmptyClaim | undefined;
  /** Whether there are probably more: the latest claim returned as many runs as it asked for, or did not ask all lanes. */
  hasMore: boolean;
  /** Nothing has been claimed yet, so what is due by now found no worker. */
  isNew: boolean;
  /** The broker did not answer the latest heartbeats in time. */
  areHeartbeatsLost: boolean;
  isStopping: boolean;
  drain: DrainState | undefined;
}

/** What the state of a worker that starts is made from. */
type StateSettings = Pick<
  WorkerSettings,
  'tasks' | 'concurrency' | 'prefetch' | 'settleMs' | 'pollMs' | 'random' | 'broker'
>;

/** Returns the state of a worker that has done nothing yet. @param serverNow - the broker's clock */
export function createWorkerState<Run extends WaitingRun>(
  settings: StateSettings,
  serverNow: () => number,
): WorkerState<Run> {
  const { tasks, concurrency, settleMs, pollMs, random } = settings;
  const sharedLimits = createSharedLimits(tasks.values(), serverNow);
  return {
    ...{ concurrency, settleMs, pollMs, sharedLimits },
    isSerial: claimsOneByOne(settings),
    limits: limitsOf(settings),
    retryShares: retrySharesOf(settings),
    slots: new Slots(tasks.values(), settings, sharedLimits),
    estimate: new PrefetchEstimate(settings),
    choice: new LaneChoice(tasks.keys()),
    pauses: new LanePauses(random),
    lateness: new Lateness(),
    waiting: [],
    ...{ leased: 0, queued: 0, queuedSince: undefined, unanswered: 0, exchanges: 0, empty: undefined },
    ...{ hasMore: false, isNew: true, areHeartbeatsLost: false, isStopping: false, drain: undefined },
  };
}

function retrySharesOf({ tasks }: Pick<WorkerSettings, 'tasks'>): RetryShares | undefined {
  return [...tasks.values()].some(isApart) ? new RetryShares(tasks.values()) : undefined;
}

function limitsOf({ tasks }: Pick<WorkerSettings, 'tasks'>): ReadonlyMap<string, LaneConcurrency> {
  const limits = new Map<string, LaneConcurrency>();
  for (const task of tasks.values()) {
    const limit = globalLimitOf(task);
    if (limit !== undefined) limits.set(task.lane, limit);
  }
  return limits;
}
