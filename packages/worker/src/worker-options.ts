import type { Clock, Duration } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import type { Redact } from './settle/stored-error.ts';
import type { AnyTask } from './task/task.ts';

/** The name of a signal that a process can be sent. */
export type SignalName = `SIG${string}`;

/** What a worker works with. */
export interface WorkerOptions {
  readonly broker: Broker;
  readonly tasks: readonly AnyTask[];
  /** Runs of tasks it does not know wait in their lane for a worker that does, or are dropped. @default 'wait' */
  readonly onUnknown?: 'wait' | 'drop' | undefined;
  /** At most this many runs at a time. @default 10 */
  readonly concurrency?: number | undefined;
  /**
   * Holds up to this many claimed runs ready beyond those that run, so that the next one starts without a round
   * trip. Fewer where runs take long: none that would wait for more than about 100 ms. @default 0
   */
  readonly prefetch?: number | undefined;
  /** How long a claim holds without a heartbeat; a crashed worker's runs come back after it. @default '30s' */
  readonly lease?: Duration | undefined;
  /** How often it polls for work when nothing wakes it. @default '1s' */
  readonly pollInterval?: Duration | undefined;
  /** How often it looks for runs whose lease has run out. @default half a lease */
  readonly cleanerInterval?: Duration | undefined;
  /** Signals that stop it; a second one stops it at once. `[]` for none. @default ['SIGTERM', 'SIGINT'] */
  readonly signals?: readonly SignalName[] | undefined;
  /** How long a stopping worker lets handlers finish whose task says nothing of its own; then it gives them back. @default '25s' */
  readonly shutdownTimeout?: Duration | undefined;
  /**
   * Decides what of an error is stored with its run; events carry the error itself. Where it throws, or gives something
   * else, nothing of the error is stored. @default its name, message and stack
   */
  readonly redact?: Redact | undefined;
  /** Its name in leases and telemetry. @default a random one */
  readonly name?: string | undefined;
  /** Source of randomness: each call gives a number in [0, 1). @default Math.random */
  readonly random?: (() => number) | undefined;
  /** @default the runtime's own clock */
  readonly clock?: Clock | undefined;
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
  readonly redact: Redact | undefined;
  readonly name: string;
  readonly random: () => number;
  readonly clock: Clock;
}
