import { hostname } from 'node:os';
import * as hooks from 'node:perf_hooks';
import type { LaneFlow, Run, WorkerFacts, WorkerFlow } from '@retry/core/broker';
import { chargedAttempts, textProblem } from '@retry/core/broker/kit';
import type { WorkerSettings } from '../../options.ts';
import type { WorkerState } from '../plan/worker-state.ts';

/** Filled in when the package is built; in the sources it does not exist. */
declare const RETRY_VERSION: string | undefined;

/** The version of this package; `undefined` where it runs from its sources. */
const VERSION: string | undefined = typeof RETRY_VERSION === 'undefined' ? undefined : RETRY_VERSION;

/** What a worker says about itself since it was asked last. */
interface TakenFacts {
  readonly facts: WorkerFacts;
  /** Counts what it did once more: the broker did not learn of it. */
  readonly restore: () => void;
}

/** Reports what a worker does. */
export class WorkerReport {
  readonly flow: FlowCounts;
  readonly #settings: WorkerSettings;
  readonly #lag = new EventLoopLag();
  readonly #state: Pick<WorkerState, 'slots' | 'leased'>;
  #startedAt: number | undefined;

  constructor(settings: WorkerSettings, state: Pick<WorkerState, 'slots' | 'leased'>) {
    this.#settings = settings;
    this.#state = state;
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
  take(): TakenFacts {
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
    const { slots, leased } = this.#state;
    return {
      ...PROCESS,
      startedAt: this.#startedAt ?? now,
      slots: this.#settings.concurrency,
      slotsTaken: slots.taken.running,
      leases: leased,
      ...(this.#settings.broker.facts?.heartbeats === 'shared-client' && { sharesHeartbeatClient: true }),
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

/** How often the lag is sampled, in ms. */
const RESOLUTION_MS = 20;

/** Measures how late timers of this process fire. Other runtimes than Node may not have it; nothing is measured there. */
class EventLoopLag {
  #delay: hooks.IntervalHistogram | undefined;

  /** Begins to measure. Keeps no process alive. */
  start(): void {
    try {
      this.#delay ??= hooks.monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#delay.enable();
    } catch {
      this.#delay = undefined; // a runtime without it
    }
  }

  stop(): void {
    this.#delay?.disable();
  }

  /** Returns what 99 of 100 samples since the last call were below, in ms; `undefined` without samples. Begins anew. */
  take(): number | undefined {
    const delay = this.#delay;
    if (delay === undefined) return undefined;
    const nanoseconds = delay.percentile(99);
    const hasSamples = delay.max > 0;
    delay.reset();
    if (!hasSamples || !Number.isFinite(nanoseconds)) return undefined;
    // The histogram has the whole interval between two timers, of which one resolution was asked for.
    return Math.max(0, Math.round(nanoseconds / 1e4) / 100 - RESOLUTION_MS);
  }
}

/** What was done in one lane. */
type Counts = { -readonly [Key in Exclude<keyof LaneFlow, 'lane'>]: LaneFlow[Key] };

/** What was done since it was last taken, and a way to count it again. */
interface TakenFlow {
  readonly flow: WorkerFlow;
  /** Counts it again: the broker did not learn of it. */
  readonly restore: () => void;
}

/** Counts what a worker does in each of its lanes. Every run comes by twice: a look-up and a few additions each. */
export class FlowCounts {
  #lanes = new Map<string, Counts>();
  #since: number;

  /** @param now - by the worker's clock, in epoch ms */
  constructor(now: number) {
    this.#since = now;
  }

  /** Counts an attempt that starts. */
  noteStart(run: Run, latenessMs: number): void {
    const counts = this.#of(run.lane);
    counts.starts += 1;
    if (chargedAttempts(run) > 0) counts.retries += 1;
    if (latenessMs > counts.maxLatenessMs) counts.maxLatenessMs = latenessMs;
  }

  /** Counts a run that has ended. */
  noteEnd(lane: string): void {
    this.#of(lane).ends += 1;
  }

  /** Returns what was counted, and begins anew. */
  take(now: number): TakenFlow {
    const [lanes, since] = [this.#lanes, this.#since];
    this.#lanes = new Map();
    this.#since = now;
    return {
      flow: {
        windowMs: Math.max(0, now - since),
        lanes: [...lanes].map(([lane, counts]) => ({ lane, ...counts })),
      },
      restore: () => this.#restore(lanes, since),
    };
  }

  #restore(lanes: ReadonlyMap<string, Counts>, since: number): void {
    this.#since = Math.min(this.#since, since);
    for (const [lane, { starts, retries, ends, maxLatenessMs }] of lanes) {
      const counts = this.#of(lane);
      counts.starts += starts;
      counts.retries += retries;
      counts.ends += ends;
      counts.maxLatenessMs = Math.max(counts.maxLatenessMs, maxLatenessMs);
    }
  }

  #of(lane: string): Counts {
    const known = this.#lanes.get(lane);
    if (known !== undefined) return known;
    const counts = { starts: 0, retries: 0, ends: 0, maxLatenessMs: 0 };
    this.#lanes.set(lane, counts);
    return counts;
  }
}
