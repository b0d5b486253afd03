import type { FailReason } from '@retry/core';
import type { Emitter } from '../emitter.ts';

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
  /** `latenessMs` is the start minus the instant the run was due. */
  readonly started: RunNotice & { readonly latenessMs: number };
  /** `retries` is the number of attempts before this one. */
  readonly completed: RunNotice & { readonly durationMs: number; readonly retries: number };
  readonly retried: RunNotice & {
    readonly error: unknown;
    readonly delayMs: number;
    readonly reason: string;
  };
  readonly failed: RunNotice & {
    readonly error: unknown;
    readonly reason: FailReason | 'unreadable' | 'stalled' | 'asked';
  };
  readonly stalled: RunNotice & { readonly error: unknown; readonly next: string };
  readonly released: RunNotice;
  readonly cancelled: RunNotice;
  readonly limited: RunNotice & { readonly next: string };
  /** Its lane is none that this worker knows (`onUnknown: 'drop'`). */
  readonly dropped: { readonly id: string; readonly lane: string };
  /** The outcome came too late: somebody else holds the run, or settled it. */
  readonly fenced: RunNotice & { readonly answer: string };
  readonly log: RunNotice & { readonly message: string; readonly details: unknown };
  /** The worker itself had trouble: the broker failed, or a listener threw. Nothing is lost by it. */
  readonly error: { readonly error: unknown; readonly doing: string };
}

/** The name of a {@link WorkerEvents} entry. */
export type WorkerEventType = keyof WorkerEvents;

/** The emitter of a worker; also publishes on `node:diagnostics_channel` as `retry:worker:<event>`. */
export type WorkerEmitter = Emitter<WorkerEvents>;
