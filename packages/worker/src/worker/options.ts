import type { Clock, Duration } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import type { AnyTask } from '../task/task.ts';

/** The name of a signal that a process can be sent. */
export type SignalName = `SIG${string}`;

/** What a worker works with. */
export interface WorkerOptions {
  readonly broker: Broker;
  readonly tasks: readonly AnyTask[];
  /** Runs of tasks it does not know wait in their lane for a worker that does, or are dropped. @default 'wait' */
  readonly onUnknown?: 'wait' | 'drop';
  /** At most this many runs at a time. @default 10 */
  readonly concurrency?: number;
  /**
   * Holds up to so many claimed runs ready beyond those that go on, so that the next one starts without a round
   * trip. Fewer where runs take long: none that would wait for more than about 100 ms. @default 0
   */
  readonly prefetch?: number;
  /** How long a claim holds without a heartbeat; a crashed worker's runs come back after it. @default '30s' */
  readonly lease?: Duration;
  /** How often it looks for work when nobody wakes it. @default '1s' */
  readonly pollInterval?: Duration;
  /** How often it looks for runs whose lease has run out. @default half a lease */
  readonly cleanerInterval?: Duration;
  /** Signals that stop it; a second one stops it at once. `[]` for none. @default ['SIGTERM', 'SIGINT'] */
  readonly signals?: readonly SignalName[];
  /** How long `stop()` lets runs go on that may; whatever still runs is then given back. @default '25s' */
  readonly shutdownTimeout?: Duration;
  /** Its name in leases and telemetry. @default a random one */
  readonly name?: string;
  /** Source of randomness: each call gives a number in [0, 1). @default Math.random */
  readonly random?: () => number;
  /** @default the runtime's own clock */
  readonly clock?: Clock;
}

/** Options with their defaults, every duration in milliseconds. */
export interface WorkerSettings {
  readonly broker: Broker;
  readonly tasks: ReadonlyMap<string, AnyTask>;
  readonly onUnknown: 'wait' | 'drop';
  readonly concurrency: number;
  readonly prefetch: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly pollMs: number;
  readonly cleanerMs: number;
  readonly signals: readonly SignalName[];
  readonly shutdownMs: number;
  readonly name: string;
  readonly random: () => number;
  readonly clock: Clock;
}
