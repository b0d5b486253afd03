import type { Budget } from '../../budget/budget.ts';
import type { BudgetInput } from '../../budget/define-budget.ts';
import type { SharedBudget, SharedBudgetInput } from '../../budget/fleet/shared-budget.ts';
import type { CircuitBreakerSettings } from '../../circuit-breaker/circuit-breaker.ts';
import type { CircuitBreakerInput } from '../../circuit-breaker/define-circuit-breaker.ts';
import type { Duration } from '../../duration.ts';

/** A dependency, and what calls it, as people write them. */
export interface WorldInput {
  /** Who calls: users that come whatever happens, or clients that wait for answers. */
  readonly traffic: TrafficInput;
  /** What is called, and how it slows down or refuses under load. */
  readonly server: ServerInput;
  /** The time of a message in one direction. @default { type: 'constant', mean: 0 } */
  readonly network?: NetworkInput | undefined;
  /** A time in which the server answers with errors, or is slow. @default none */
  readonly trouble?: TroubleInput | undefined;
  /** The share of attempts that the server fails at any time, from 0 to 1. @default 0 */
  readonly errorShare?: number | undefined;
  /** What a failed attempt throws; the policy's rules read it. @default an error with status 503 and code ECONNRESET */
  readonly error?: unknown;
  /** The longest time of one attempt; the shorter of this and the policy's applies. @default 'Infinity' */
  readonly attemptTimeout?: Duration | undefined;
  /**
   * Services in a row that all retry by the policy, each calling the next one, the last one the server: an integer from 1
   * to 5. An attempt that is given up does not stop what it has called. @default 1
   */
  readonly layers?: number | undefined;
  /**
   * Processes that the calls are spread over, at most 100 000, each with its own circuit breaker, and its own budget unless that is
   * `'shared'`. @default 1
   */
  readonly processes?: number | undefined;
  /** The retry budget of each process, or `'shared'` of all of them together; one at each layer. @default none */
  readonly budget?: BudgetInput | SharedWorldBudgetInput | undefined;
  /** The circuit breaker of each process, one at each layer. @default none */
  readonly circuitBreaker?: CircuitBreakerInput | undefined;
  /** How long it is watched. @default 60 s after the trigger; 10 minutes where the clients end by themselves */
  readonly duration?: Duration | undefined;
  /** The step of the timeline. @default '1s' */
  readonly bucket?: Duration | undefined;
}

/**
 * A budget of all processes together, as `createSharedBudget` takes it. Its store answers each renewal after 2 ms, for which a failure
 * without a token waits, and never fails, so that `localShare` changes nothing.
 */
export interface SharedWorldBudgetInput extends SharedBudgetInput {
  /** One bucket, from which each process takes leases. */
  readonly type: 'shared';
}

/** A checked budget of all processes together. */
interface SharedWorldBudget extends SharedBudget {
  /** One bucket, from which each process takes leases. */
  readonly type: 'shared';
}

/** Who calls, as people write it. */
export type TrafficInput =
  /** Calls arrive by themselves, whether or not earlier ones were answered: the users of a service. */
  | {
      /** @default 'open' */
      readonly type?: 'open' | undefined;
      /** Calls a second; or points in time, between which the rate is a straight line. */
      readonly perSecond: number | readonly RatePointInput[];
    }
  /** A number of clients, each of which waits for its answer before it calls again. They begin together. */
  | {
      readonly type: 'closed';
      /** An integer ≥ 1. */
      readonly clients: number;
      /** Calls of each client. @default 'Infinity' */
      readonly calls?: number | 'Infinity' | undefined;
      /** The mean time before each call of a client, drawn from the exponential distribution. @default 0 */
      readonly pause?: Duration | undefined;
    };

/** The rate of arrivals at an instant; of two points at one instant the later one holds from there on. */
export interface RatePointInput {
  /** How long after the start; finite, and not before the point before. */
  readonly at: Duration;
  /** Calls a second; finite, ≥ 0. */
  readonly perSecond: number;
}

/** What is called, as people write it. */
export type ServerInput =
  /** The server works on one request after the other, in their order, also on those whose client has given up. */
  | {
      readonly type: 'capacity';
      /** Requests a second, over 0; 'Infinity' for a server without a limit. */
      readonly perSecond: number | 'Infinity';
      /** What a request takes besides its turn. @default 0 */
      readonly latency?: Duration | undefined;
      /** A request that would wait longer than this is refused. @default '1s' */
      readonly queue?: Duration | undefined;
    }
  /** Each request takes `latency`, and `perRequest` more for each request under way, itself included. */
  | { readonly type: 'concurrency'; readonly latency: Duration; readonly perRequest: Duration }
  /** One row with a version: an attempt reads the version, then writes; it fails if the version has changed meanwhile. */
  | { readonly type: 'optimistic-lock' };

/** How long a message takes, as people write it. A normal draw below 0 counts as its amount. */
export interface NetworkInput {
  /** How the times of messages are distributed; `constant`: each takes the mean. */
  readonly type: 'constant' | 'exponential' | 'normal';
  /** The mean time in one direction; finite. */
  readonly mean: Duration;
  /** The standard deviation of the normal distribution. @default 0 */
  readonly deviation?: Duration | undefined;
}

/** A time of trouble, as people write it. */
export interface TroubleInput {
  /** An outage fails what arrives or ends in it, immediately; a brown-out leaves a part of the capacity. */
  readonly type: 'outage' | 'brown-out';
  /** When it begins. @default '10s' */
  readonly at?: Duration | undefined;
  /** How long it lasts; finite, over 0. */
  readonly for: Duration;
  /** The share of the capacity that a brown-out leaves, over 0 and at most 1. @default 0.5 */
  readonly capacity?: number | undefined;
}

/** A checked world, every duration in milliseconds. */
export interface World {
  /** Who calls. */
  readonly traffic: Traffic;
  /** What is called. */
  readonly server: Server;
  /** How long a message takes in one direction. */
  readonly network: {
    /** How the times of messages are distributed. */
    readonly type: NetworkInput['type'];
    /** The mean time in one direction. */
    readonly meanMs: number;
    /** The standard deviation of the normal distribution; 0 for the others. */
    readonly deviationMs: number;
  };
  /** When the server answers with errors, or is slow. */
  readonly trouble?: Trouble | undefined;
  /** The share of attempts that the server fails at any time, 0 to 1. */
  readonly errorShare: number;
  /** What a failed attempt throws. */
  readonly error: unknown;
  /** The shorter of this and the policy's applies; may be `Infinity`. */
  readonly attemptTimeoutMs: number;
  /** Services in a row that all retry, 1 to 5. */
  readonly layers: number;
  /** How many processes the calls are spread over. */
  readonly processes: number;
  /** The budget of each process, or `'shared'` of all together; one at each layer. */
  readonly budget?: Budget | SharedWorldBudget | undefined;
  /** The circuit breaker of each process, one at each layer. */
  readonly circuitBreaker?: CircuitBreakerSettings | undefined;
  /** When what disturbs the world is over: trouble, or a rate of arrivals that is not the last one; 0 if nothing does. */
  readonly triggerEndMs: number;
  /** How long it is watched. */
  readonly durationMs: number;
  /** The step of the timeline. */
  readonly bucketMs: number;
}

/** Who calls. */
export type Traffic =
  | { readonly type: 'open'; readonly rates: readonly RatePoint[] }
  | { readonly type: 'closed'; readonly clients: number; readonly calls: number; readonly pauseMs: number };

/** The rate of arrivals at an instant. */
export interface RatePoint {
  /** Milliseconds after the start. */
  readonly atMs: number;
  /** Calls a second. Between two points the rate is a straight line; after the last one it stays. */
  readonly perSecond: number;
}

/** What is called. */
export type Server =
  | {
      readonly type: 'capacity';
      /** Requests a second, over 0; may be `Infinity`. */
      readonly perSecond: number;
      /** What a request takes besides its turn. */
      readonly latencyMs: number;
      /** A request that would wait longer than this is refused; may be `Infinity`. */
      readonly queueMs: number;
    }
  | { readonly type: 'concurrency'; readonly latencyMs: number; readonly perRequestMs: number }
  | { readonly type: 'optimistic-lock' };

/** A time of trouble; an outage has the capacity 0. */
export interface Trouble {
  /** An outage fails what arrives or ends in it; a brown-out leaves a part of the capacity. */
  readonly type: TroubleInput['type'];
  /** When it begins, from the start. */
  readonly fromMs: number;
  /** When it is over, from the start. */
  readonly untilMs: number;
  /** The share of the capacity that is left, 0 to 1. */
  readonly capacity: number;
}

/** Returns the share of the server's capacity at an instant: 0 in an outage. */
export function capacityAt({ trouble }: Pick<World, 'trouble'>, nowMs: number): number {
  return trouble !== undefined && nowMs >= trouble.fromMs && nowMs < trouble.untilMs ? trouble.capacity : 1;
}

/** Returns whether the clients end by themselves, each after a number of calls. */
export function endsByItself({ traffic }: Pick<World, 'traffic'>): boolean {
  return traffic.type === 'closed' && traffic.calls < Infinity;
}
