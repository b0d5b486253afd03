/** What a worker says about itself when it attends. */
export interface WorkerFacts {
  /** The machine, for people; 1 to 512 bytes. */
  readonly host?: string;
  /** The process on it. */
  readonly pid?: number;
  /** The version of its package; 1 to 512 bytes. */
  readonly version?: string;
  /** When it was started, in epoch milliseconds. */
  readonly startedAt?: number;
  /** How many runs it executes at the same time, at most. */
  readonly slots: number;
  /** How many it executes. */
  readonly slotsTaken: number;
  /** How many runs it has claimed and not settled, those that wait for a slot of its own included. */
  readonly leases: number;
  /**
   * How much later than asked timers of its process fired, in milliseconds: 99 of 100 were less late than this, since it
   * attended before. Absent where it is not measured.
   */
  readonly eventLoopLagMs?: number;
  /** Whether its heartbeats need a connection that its handlers can take: while they keep it, runs that are well are taken for stalled. */
  readonly sharesHeartbeatClient?: boolean;
  /** What it did in its lanes since it attended before; only lanes in which it did anything. */
  readonly flow?: WorkerFlow;
}

/** What a worker did in a span of time. */
export interface WorkerFlow {
  /** How long that was, in milliseconds. */
  readonly windowMs: number;
  /** Only lanes in which it did anything. */
  readonly lanes: readonly LaneFlow[];
}

/** What a worker did in one lane. */
export interface LaneFlow {
  /** `name@version` of its task. */
  readonly lane: string;
  /** Attempts that it started. */
  readonly starts: number;
  /** The starts of attempts after the first. */
  readonly retries: number;
  /** Runs that it ended. */
  readonly ends: number;
  /** The longest time after the instant at which it was due that one of the attempts started, in milliseconds. */
  readonly maxLatenessMs: number;
}

/** A worker whose registration has not lapsed. */
export interface LiveWorker {
  /** The name that it attended by. */
  readonly worker: string;
  /** The lanes that it works on, `name@version` each. */
  readonly lanes: readonly string[];
  /** When it attended last, by the broker's clock, in epoch milliseconds. */
  readonly attendedAt: number;
  /** When its registration lapses unless it attends again. */
  readonly aliveUntil: number;
  /** What it said about itself, if it did. */
  readonly facts?: WorkerFacts;
}
