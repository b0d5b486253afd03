import type { Hold } from '@retry/core/broker';
import type { Finding } from '@retry/worker';

/** `GET storm`. */
export interface StormAnswer {
  /** The broker's clock. */
  readonly at: number;
  /** Over all lanes; absent until a worker has reported. */
  readonly all?: StormFigures;
  /** Lanes that start attempts, most retries first. */
  readonly lanes: readonly LaneStorm[];
  /** The share of starts from which on retries make an outage worse. */
  readonly retryShareLine: number;
  /** A lane is judged from this number of starts on. */
  readonly minStarts: number;
  /** Circuit breakers and other holds. */
  readonly holds: readonly Hold[];
  /** What `queue.health()` found about retries. */
  readonly findings: readonly Finding[];
}

/** Attempts that start, and how many of them are retries. */
export interface StormFigures {
  /** Attempts that started in the latest interval of each worker. */
  readonly starts: number;
  /** Attempts that start, as workers reported them last. */
  readonly startsPerSecond: number;
  /** Retries that start, as workers reported them last. */
  readonly retriesPerSecond: number;
  /** The share of retries among `starts`, from 0 to 1. */
  readonly retryShare: number;
  /** Attempts for each first attempt, ≥ 1; `null` where only retries start. */
  readonly amplification: number | null;
}

/** The figures of one lane. */
export interface LaneStorm extends StormFigures {
  readonly lane: string;
  readonly task: string;
  readonly version: string;
  /** The holds that keep its runs from starting, also those of all lanes. */
  readonly holds: readonly Hold[];
  /** Whether its circuit breaker holds it; absent where it is closed and the board does not know the task. */
  readonly breaker?: 'open' | 'closed' | 'none';
}
