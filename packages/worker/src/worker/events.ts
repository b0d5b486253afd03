import { channel } from 'node:diagnostics_channel';
import type { FailReason } from '@retry/core';

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
  /** The outcome came too late: somebody else holds the run, or settled it. */
  readonly fenced: RunNotice & { readonly answer: string };
  readonly log: RunNotice & { readonly message: string; readonly details: unknown };
  /** The worker itself had trouble: the broker failed, or a listener threw. Nothing is lost by it. */
  readonly error: { readonly error: unknown; readonly doing: string };
}

/** The name of a {@link WorkerEvents} entry. */
export type WorkerEventType = keyof WorkerEvents;

/** Takes listeners and tells them; also publishes on `node:diagnostics_channel` as `retry:worker:<event>`. */
export interface Emitter {
  /** @returns a function that takes the listener back */
  readonly on: <Type extends WorkerEventType>(
    type: Type,
    listener: (event: WorkerEvents[Type]) => void,
  ) => () => void;
  readonly emit: <Type extends WorkerEventType>(type: Type, event: WorkerEvents[Type]) => void;
}

type Listener = (event: never) => unknown;

/** An emitter whose listeners cannot change what happens: what they throw is an `error` event. */
export function createEmitter(): Emitter {
  const listeners = new Map<WorkerEventType, Set<Listener>>();
  const emit: Emitter['emit'] = (type, event) => {
    publish(type, event);
    for (const listener of listeners.get(type) ?? []) {
      call(listener, event, (error) => {
        // An error listener that throws has nobody left to tell.
        if (type !== 'error') emit('error', { error, doing: `telling a listener of ${type}` });
      });
    }
  };
  return {
    emit,
    on: (type, listener) => {
      const known = listeners.get(type) ?? new Set();
      listeners.set(type, known.add(listener));
      return () => void known.delete(listener);
    },
  };
}

function publish(type: WorkerEventType, event: object): void {
  const published = channel(`retry:worker:${type}`);
  if (published.hasSubscribers) published.publish(event);
}

function call(listener: Listener, event: object, onError: (error: unknown) => void): void {
  try {
    const result = listener(event as never); // stored under the type of its own event
    if (result instanceof Promise) result.catch(onError);
  } catch (error) {
    onError(error);
  }
}
