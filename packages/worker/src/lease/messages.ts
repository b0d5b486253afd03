import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';

/** What the thread needs of one worker. */
export interface WorkerLeases {
  readonly worker: number;
  /** One element, which the event loop counts up while it turns. */
  readonly turns: Int32Array;
  readonly leaseMs: number;
  readonly maxBlockMs: number;
  /** The text of the broker's module, and what its `open` is given. */
  readonly source: string;
  readonly options: unknown;
  /** The path of the driver. */
  readonly driver: string;
}

/** What the event loop sends to the thread. */
export type ToThread =
  | { readonly type: 'open'; readonly leases: WorkerLeases }
  | {
      readonly type: 'change';
      readonly worker: number;
      readonly ended: readonly HeartbeatRequest[];
      readonly claimed: readonly HeartbeatRequest[];
    }
  | { readonly type: 'close'; readonly worker: number };

/** An answer that changes what happens to a run. */
export interface LeaseAnswer extends HeartbeatRequest {
  readonly answer: HeartbeatAnswer;
}

/** What the thread sends to the event loop, which receives it when it turns. */
export type FromThread =
  /** The connection is open. */
  | { readonly type: 'ready'; readonly worker: number }
  /** The connection will never be accepted. */
  | { readonly type: 'refused'; readonly worker: number; readonly reason: string }
  | { readonly type: 'answers'; readonly worker: number; readonly answers: readonly LeaseAnswer[] }
  | { readonly type: 'error'; readonly worker: number; readonly reason: string };
