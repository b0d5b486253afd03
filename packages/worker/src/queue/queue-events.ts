import type { ListenerError } from '../emitter.ts';

/** Events of a queue and what they carry. */
export interface QueueEvents {
  /** A new run is kept; a known key submits nothing. */
  readonly submitted: { readonly id: string; readonly task: string; readonly version: string };
  /** A listener threw, or the broker could not be asked for results that are waited for: it will be again. */
  readonly error: ListenerError;
}

/** Every event of a queue. */
export const QUEUE_EVENTS: Readonly<Record<keyof QueueEvents, true>> = { submitted: true, error: true };
