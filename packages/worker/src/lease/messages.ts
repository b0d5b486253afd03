import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import type { LeaseChunk } from './lease-table.ts';

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

/** What the event loop sends to the thread. Leases are not sent: they are written to memory that both have. */
export type ToThread =
  | { readonly type: 'open'; readonly leases: WorkerLeases; readonly chunks: readonly LeaseChunk[] }
  | { readonly type: 'chunk'; readonly worker: number; readonly chunk: LeaseChunk }
  | { readonly type: 'close'; readonly worker: number };

/** An answer that changes what happens to a run. */
export interface LeaseAnswer extends HeartbeatRequest {
  readonly answer: HeartbeatAnswer;
}

/** What the thread sends to the event loop, which receives it when it turns. */
export type FromThread =
  /** There can be no thread, the driver cannot be loaded, or its connection will never be accepted. */
  | { readonly type: 'refused'; readonly worker: number; readonly reason: string }
  | { readonly type: 'answers'; readonly worker: number; readonly answers: readonly LeaseAnswer[] }
  | { readonly type: 'error'; readonly worker: number; readonly reason: string };

/** What the thread sends when it has no worker and no connection any more, and is to be ended. */
export interface ThreadClosed {
  readonly type: 'closed';
}
