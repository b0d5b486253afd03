import type { Concurrency, Run } from './run.ts';
import type { SettleAnswer, Settlement } from './settlement.ts';
import type { LockOptions } from './submission.ts';

/** Settlements to write, then a claim to make; either may be absent. A handler that completes its run in a transaction keeps it locked. */
export interface ExchangeRequest extends LockOptions {
  /** Written before anything is claimed, and answered one by one. */
  readonly settle?: readonly Settlement[];
  /** Absent: nothing is claimed. */
  readonly claim?: Claim | undefined;
}

/** A request for runs to start. */
export interface Claim {
  /** The name of the worker, 1 to 512 bytes. */
  readonly worker: string;
  /**
   * A claim repeated with the same id returns the same runs as the first time, and charges nothing; it may leave out those
   * that its worker no longer holds. A broker remembers the latest few claims of a worker that returned runs.
   */
  readonly requestId: string;
  /** The most runs to claim in all; an integer ≥ 0. */
  readonly limit: number;
  /** The most runs to claim from each lane, an integer ≥ 0; earlier lanes first. Due runs are promoted before. */
  readonly lanes: ReadonlyMap<string, number>;
  /**
   * How many runs of a lane may be started at the same time, where its task limits that. The key of such a limit is the lane. It
   * replaces the limit of that key that a run was submitted or claimed with before, and is given to runs without a key, before they
   * start. Runs of other keys keep theirs, and need a slot of both: one that waits for its lane takes no slot of its own key, and one
   * that waits to start again has none of its lane.
   */
  readonly concurrency?: ReadonlyMap<string, LaneConcurrency>;
  /**
   * For lanes where what has become due is to start apart from what waits: how many due runs the claim takes out of the schedule of the
   * lane, an integer ≥ 0. They start before all that waits there. The others stay scheduled, except where fewer runs wait in the lane
   * than the claim has room for: due ones fill the rest. Of lanes that are not in it, all that is due goes to the back of its lane.
   */
  readonly dueLimits?: ReadonlyMap<string, number>;
  /** How long the leases last unless a heartbeat extends them, in milliseconds; `0 ≤ leaseMs < Infinity`. */
  readonly leaseMs: number;
}

/** The limit of a task, as a worker has it that claims runs of its lane. */
export type LaneConcurrency = Pick<Concurrency, 'limit' | 'whenFull'>;

/** What became of the settlements, and what was claimed. */
export interface ExchangeReply {
  /** One answer for each settlement, in the order of the request. */
  readonly settled: readonly SettleAnswer[];
  /** Runs that are started now and leased to the worker. */
  readonly claimed: readonly ClaimedRun[];
  /** The broker's clock, in epoch milliseconds. */
  readonly now: number;
  /**
   * When the next scheduled run of the claimed lanes is due, or the hold of a claimed lane with waiting runs ends; absent
   * when there is neither. It lies in the past when more runs were due than one claim promotes. While a lane is on hold,
   * what is due in it does not count.
   */
  readonly nextRunAt?: number;
}

/** A run that was claimed. */
export interface ClaimedRun {
  /** The run as it is from its start on: settlements and heartbeats need its `epoch`. */
  readonly run: Run<'started'>;
  /** When the lease ends unless a heartbeat extends it. */
  readonly leaseUntil: number;
  /**
   * Whether its concurrency key is full, or that of its lane (`whenFull: 'claim'`): the worker settles it with `limit` instead of running
   * it.
   */
  readonly isOverLimit: boolean;
  /**
   * Whether it was let through by a hold that probes (`probeMs`): its outcome decides whether the lane resumes. A repeated claim may
   * leave this out.
   */
  readonly isProbe?: boolean;
}
