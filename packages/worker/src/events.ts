import type { FailReason } from '@retry/core';
import type { LaneDepth } from '@retry/core/broker';
import type { Emitter } from './emitter.ts';
import type { LateCause } from './engine/lateness.ts';
import type { SignalName } from './worker-options.ts';

/** What every event about a run says. */
export interface RunNotice {
  readonly id: string;
  readonly task: string;
  readonly version: string;
  /** Counted from 1. */
  readonly attempt: number;
  readonly epoch: number;
}

/** Events of a worker and what they carry. */
export interface WorkerEvents {
  /** `latenessMs` is the start minus the instant the run was due; `lateBecause` is there when that is more than 0. */
  readonly started: RunNotice & { readonly latenessMs: number; readonly lateBecause?: LateCause };
  /** `retries` is the number of attempts before this one. */
  readonly completed: RunNotice & { readonly durationMs: number; readonly retries: number };
  readonly retried: RunNotice & {
    readonly error: unknown;
    readonly delayMs: number;
    readonly reason: string;
  };
  readonly failed: RunNotice & {
    readonly error: unknown;
    readonly reason: FailReason | 'unreadable' | 'stalled' | 'asked' | 'refused';
  };
  readonly stalled: RunNotice & { readonly error: unknown; readonly next: string };
  readonly released: RunNotice;
  readonly cancelled: RunNotice;
  readonly limited: RunNotice & { readonly next: string };
  /** Its lane is none that this worker knows (`onUnknown: 'drop'`). */
  readonly dropped: { readonly id: string; readonly lane: string };
  /** Runs wait in these lanes, and no worker that is alive works on them; once each time the lanes change. */
  readonly unattended: { readonly lanes: readonly LaneDepth[] };
  /** The outcome came too late: somebody else holds the run, or settled it. */
  readonly fenced: RunNotice & { readonly answer: string };
  readonly log: RunNotice & { readonly message: string; readonly details: unknown };
  /** The worker has stopped and settled everything; the signal is there when one stopped it. */
  readonly stopped: { readonly signal?: SignalName };
  /** The worker itself had trouble: the broker failed, or a listener threw. Nothing is lost by it. */
  readonly error: { readonly error: unknown; readonly doing: string };
}

/** Every event of a worker. */
export const WORKER_EVENTS: Readonly<Record<keyof WorkerEvents, true>> = {
  started: true,
  completed: true,
  retried: true,
  failed: true,
  stalled: true,
  released: true,
  cancelled: true,
  limited: true,
  dropped: true,
  unattended: true,
  fenced: true,
  log: true,
  stopped: true,
  error: true,
};

/** The name of a {@link WorkerEvents} entry. */
export type WorkerEventType = keyof WorkerEvents;

/** The emitter of a worker; also publishes on `node:diagnostics_channel` as `retry:worker:<event>`. */
export type WorkerEmitter = Emitter<WorkerEvents>;
