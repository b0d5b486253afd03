import type { Finding, HealthFigures } from '@retry/worker';

/** What the program finds besides what `queue.health` does. */
type FaultCode =
  /** The server may delete runs when memory is short. */
  | 'MAY_EVICT'
  | 'NO_APPEND_ONLY_FILE'
  | 'REDIS_TOO_OLD'
  /** What only the broker of a configuration refuses, as it is not asked to look over it. */
  | 'REDIS_MAY_EVICT'
  | 'REDIS_CANNOT_WAIT'
  /** The url leads to one node of a Cluster. */
  | 'NEEDS_CLUSTER_CLIENT'
  | 'OLDER_SCHEMA'
  | 'NEWER_SCHEMA'
  | 'MISSING_RIGHTS'
  /** A replica or a standby. */
  | 'REDIS_READ_ONLY'
  | 'READ_ONLY_SERVER'
  /** The database cannot hold every payload. */
  | 'NARROW_ENCODING'
  | 'CLOCK_SKEW'
  /** Runs of one version of a task wait, and workers know only others. */
  | 'VERSION_WAITING'
  /** The next run of a lane is old, and was not claimed while it was watched. */
  | 'OLDEST_AGE_GROWS'
  /** Idle workers learn of work by their polls only. */
  | 'POLLING_ONLY'
  /** The heartbeats of a worker wait for its handlers. */
  | 'SHARED_HEARTBEATS'
  | 'LONG_TRANSACTION'
  | 'DEAD_TUPLES';

/** Something that is wrong, and what to do about it. */
export interface Fault extends Partial<Omit<Finding, 'code' | 'level' | 'sentence' | 'cure'>> {
  readonly code: FaultCode | Finding['code'];
  readonly level: Finding['level'];
  readonly sentence: string;
  readonly cure: string;
}

/** What `retry doctor` found. */
export interface Diagnosis {
  readonly isHealthy: boolean;
  /** The server, without a password; absent where it could not be used. */
  readonly server?: string;
  /** Critical ones first. */
  readonly findings: readonly Fault[];
  /** Absent where the queue could not be read. */
  readonly figures?: HealthFigures;
}

/** How long things may take before they are faults; milliseconds. */
export interface DoctorLimits {
  readonly oldestAge: number;
  readonly longTransaction: number;
  /** How long lanes are watched. */
  readonly watch: number;
}
