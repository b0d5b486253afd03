import type { CancelAnswer, DiscardAnswer, RedriveAnswer, RescheduleAnswer } from '@retry/core/broker';

/** `POST runs/:id/run-now`, `…/cancel`, `…/redrive`, `…/discard`. */
export interface ActRequest {
  /** Why; 1 to 512 bytes. */
  readonly reason?: string;
}

/** `POST runs/:id/reschedule`: one of both. */
export interface RescheduleRequest extends ActRequest {
  /** Does not start before this instant. */
  readonly runAt?: number;
  /** Does not start before this long from now: `'10m'` or milliseconds. */
  readonly delay?: string | number;
}

/** `POST runs/:id/resubmit`. */
export interface ResubmitRequest extends ActRequest {
  /** JSON text. @default the payload of the old run */
  readonly payload?: string;
  /** Does not start before this long from now: `'10m'` or milliseconds. */
  readonly delay?: string | number;
}

/** What became of an act on a run. */
export type RunActAnswer =
  | { readonly answer: RescheduleAnswer | CancelAnswer | RedriveAnswer | DiscardAnswer }
  /** The new run, which names the old one as its origin. */
  | { readonly answer: 'submitted'; readonly id: string };
