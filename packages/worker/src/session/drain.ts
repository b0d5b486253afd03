import type { Fields } from '@retry/core/fields';
import { A_SIGNAL, countFrom, readOptions } from '@retry/core/fields';
import type { ClaimsEnd } from '../engine/plan/worker-state.ts';
import type { WorkerEmitter, WorkerEvents } from '../events.ts';

/** The options of `worker.drain`. Every key is optional. */
export interface DrainOptions {
  /** How many handlers it calls at most, an integer ≥ 1. Later attempts of one run count each. @default Infinity */
  readonly maxRuns?: number | undefined;
  /**
   * How long it claims at most, in milliseconds > 0. Handlers that run then finish as at a stop: within `shutdownTimeout`. Also
   * how long it waits for a broker that cannot serve, or does not answer: then the drain rejects. @default Infinity
   */
  readonly maxMs?: number | undefined;
  /** Ends it as `maxMs` does. */
  readonly signal?: AbortSignal | undefined;
}

/** What ended a drain. `empty`: nothing that may start now is due. `stop`: `worker.stop()`, or a signal of the process. */
export type DrainEnd = ClaimsEnd | 'maxMs' | 'signal' | 'stop';

/** What a drain did. Each count is that of the worker's event of the same name. */
export interface DrainReport {
  /** Handlers that were called. */
  readonly started: number;
  readonly completed: number;
  /** Attempts that another one follows. */
  readonly retried: number;
  /** Runs that failed for good. */
  readonly failed: number;
  /** Runs that were found without a living worker, or sent no heartbeat; those that failed by it are counted there, too. */
  readonly stalled: number;
  readonly released: number;
  readonly cancelled: number;
  /** Runs that met a limit. */
  readonly limited: number;
  /** Outcomes that were not accepted, as another worker has the run. */
  readonly fenced: number;
  /** Why it ended. */
  readonly endedBy: DrainEnd;
  /**
   * When to drain again, in epoch ms by the broker's clock: when the next run of these tasks is due, a hold ends, a limit lets one start,
   * or any schedule fires; the end of this drain, unless it ended `empty`, as more may be due, and where the broker did not answer when it
   * looked for workers that died. Absent: nothing is scheduled. Runs that other workers have started are not in it, nor is what is
   * submitted from now on.
   */
  readonly nextRunAt?: number;
}

/** The checked options of a drain. */
export interface DrainLimits {
  readonly maxRuns: number;
  readonly maxMs: number;
  readonly signal: AbortSignal | undefined;
}

const KEYS: readonly (keyof DrainOptions)[] = ['maxRuns', 'maxMs', 'signal'];

/** Checks the options of a drain. @throws {InvalidOptionsError} listing every problem */
export function readDrainOptions(options: unknown): DrainLimits {
  return readOptions(options, { subject: 'drain', keys: KEYS }, readLimits);
}

function readLimits(fields: Fields): DrainLimits {
  return {
    maxRuns: fields.number('maxRuns', Infinity, countFrom(1, 'Leave it out for no limit.')),
    maxMs: fields.number('maxMs', Infinity, {
      accepts: (ms) => ms > 0,
      message: 'must be a number of milliseconds > 0',
      cure: 'Use maxMs: 50_000 for 50 seconds, or leave it out for no limit.',
    }),
    signal: fields.optional('signal', A_SIGNAL) as AbortSignal | undefined, // signals of this runtime
  };
}

type Counts = Omit<DrainReport, 'endedBy' | 'nextRunAt'>;

const COUNTED: Readonly<Record<keyof Counts & keyof WorkerEvents, 0>> = {
  started: 0,
  completed: 0,
  retried: 0,
  failed: 0,
  stalled: 0,
  released: 0,
  cancelled: 0,
  limited: 0,
  fenced: 0,
};

/** Counts the events of a worker from now on. @returns the counts so far */
export function countEvents(emitter: WorkerEmitter): () => Counts {
  const counts: Record<keyof Counts, number> = { ...COUNTED };
  for (const type of Object.keys(COUNTED) as (keyof Counts)[]) // its own keys
    emitter.on(type, () => {
      counts[type] += 1;
    });
  return () => ({ ...counts });
}
