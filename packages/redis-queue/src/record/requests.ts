import type { Audit } from '@retry/core/broker';

/** In which order values travel in requests and replies: one list for both sides, from which the scripts are made, too. */

/** The request of runs of one lane that are due, where payloads that are kept apart follow in the same transaction. */
export const PAYLOADS_FOLLOW = 'p';

/** How a settlement is applied; a sum. */
export const SETTLE_MODES = { onlyIfExpired: 1, release: 2 } as const;

/** The values of one settlement, in the order in which they are sent. */
export const SETTLEMENT = ['id', 'epoch', 'by', 'mode', 'lane', 'record', 'dueInMs'] as const;

/**
 * The first arguments of an exchange. Behind them follow the ids of the completions of first starts and of the plain moves, the
 * records of both, then, if something is claimed, the values of `CLAIM` and of each lane those of `CLAIM_LANE`, and the long texts
 * of other settlements.
 */
export const EXCHANGE = [
  'keepCompleted',
  'keepKeysMs',
  /** How many completions of first starts there are. */
  'firsts',
  /**
   * How many plain moves there are: completions of later starts, and runs that go to the back of their lane, without a slot, a stack
   * or a long result.
   */
  'moves',
  /** The number of the lane that all plain moves share, and its hash. */
  'movesLane',
  'movesHash',
  /** How many lanes the claim has; `-1` without a claim. Their keys are the first of the lanes. */
  'claimLanes',
  /** All other settlements and the tags of all lanes, packed; empty without any. There are no plain moves beside them. */
  'others',
] as const;

/**
 * The values of a claim, in the order in which they are sent. `concurrency` has, for each lane and separated by spaces, the limit of its
 * task, or `NO_LANE_LIMIT`; it is empty where no lane has one. So has `dueLimits` how many due runs of each lane come first.
 */
export const CLAIM = ['worker', 'request', 'limit', 'leaseMs', 'concurrency', 'dueLimits'] as const;

/** A lane whose task has no limit. That of one that has begins with the letter of the kind of a body, and its number follows. */
export const NO_LANE_LIMIT = '-';

/** The values of each lane of a claim: how many runs at most, and the hash that a started record has of it. */
export const CLAIM_LANE = ['limit', 'hash'] as const;

/**
 * What a claim got, in the order in which the script answers it. An answer may end after `bodies`, if all that follows is empty,
 * or after `stacks`, if no run is a probe. `restarted` are the indexes, counted from 1, of the runs that do not start for the
 * first time; only these have records.
 */
export const CLAIMED = [
  'startedAt',
  'leaseUntil',
  'ids',
  'bodies',
  'overLimit',
  'restarted',
  'records',
  'stacks',
  /** The indexes of the runs that holds let through. */
  'probes',
] as const;

/**
 * What is kept of a claim, so that it can be sent again; the last three are left out when they are empty. Of a single run the first
 * three are text with zero characters between them.
 */
export const KEPT_CLAIM = ['startedAt', 'leaseUntil', 'ids', 'overLimit', 'restarted', 'epochs'] as const;

type AuditFigure = Exclude<keyof Audit, 'ended'>;

/** The figures of an audit, in the order in which they are answered; how many runs are in each end state follow. */
export const AUDIT_FIGURES: readonly AuditFigure[] = Object.keys({
  created: true,
  submitted: true,
  scheduled: true,
  started: true,
  forgotten: true,
  unbalanced: true,
} satisfies Record<AuditFigure, true>) as readonly AuditFigure[]; // its own keys

/** The figures of a lane, in the order in which they are answered; `claimableSince` is -1 when no run is claimable. */
export const LANE_FIGURES = ['waiting', 'parked', 'scheduled', 'due', 'claimableSince'] as const;
