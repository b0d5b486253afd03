import { hostname } from 'node:os';
import type { WorkerFacts } from '@retry/core/broker';
import { textProblem } from '@retry/core/broker/kit';
import type { WorkerSettings } from '../../options.ts';
import { EventLoopLag } from './event-loop-lag.ts';
import { FlowCounts } from './flow-counts.ts';
import { VERSION } from './version.ts';

/** How many runs a worker has, at this moment. */
export interface WorkerLoad {
  /** Those whose handlers are running. */
  readonly running: number;
  /** Those that it has claimed and not settled. */
  readonly leases: number;
}

/** What a worker says about itself. */
export interface Report {
  readonly facts: WorkerFacts;
  /** Counts what it did once more: the broker did not learn of it. */
  readonly restore: () => void;
}

/** Reports what a worker does. */
export class WorkerReport {
  readonly flow: FlowCounts;
  readonly #settings: WorkerSettings;
  readonly #lag = new EventLoopLag();
  readonly #load: () => WorkerLoad;
  #startedAt: number | undefined;

  constructor(settings: WorkerSettings, load: () => WorkerLoad) {
    this.#settings = settings;
    this.#load = load;
    this.flow = new FlowCounts(settings.clock.now());
  }

  /** Begins the first interval. @returns the facts of a worker that has done nothing yet */
  begin(): WorkerFacts {
    const now = this.#settings.clock.now();
    this.#startedAt = now;
    this.flow.take(now);
    this.#lag.start();
    return this.#facts(now);
  }

  /** Returns what happened since the last call. */
  take(): Report {
    const now = this.#settings.clock.now();
    const { flow, restore } = this.flow.take(now);
    const eventLoopLagMs = this.#lag.take();
    return {
      facts: { ...this.#facts(now), ...(eventLoopLagMs !== undefined && { eventLoopLagMs }), flow },
      restore,
    };
  }

  end(): void {
    this.#lag.stop();
  }

  #facts(now: number): WorkerFacts {
    const { running, leases } = this.#load();
    return {
      ...PROCESS,
      startedAt: this.#startedAt ?? now,
      slots: this.#settings.concurrency,
      slotsTaken: running,
      leases,
      ...(this.#settings.broker.sharesHeartbeatClient === true && { sharesHeartbeatClient: true }),
    };
  }
}

const PROCESS = readProcess();

/** What never changes. What a runtime does not have, or a broker could not keep, is left out. */
function readProcess(): Pick<WorkerFacts, 'host' | 'pid' | 'version'> {
  const host = readHost();
  const pid: unknown = globalThis.process?.pid;
  return {
    ...(host !== undefined && { host }),
    ...(typeof pid === 'number' && { pid }),
    ...(VERSION !== undefined && { version: VERSION }),
  };
}

function readHost(): string | undefined {
  try {
    const host = hostname();
    return textProblem(host) === undefined ? host : undefined;
  } catch {
    return undefined;
  }
}
