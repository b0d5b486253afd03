import { Worker as Thread } from 'node:worker_threads';
import type { Policy } from '@retry/core';
import { computeDelay, definePolicy } from '@retry/core';
import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import { errorText } from '../error-text.ts';
import type { LeaseChunk } from './lease-table.ts';
import { THREAD_CODE } from './thread-code.ts';

/** What the thread needs of one worker. */
export interface WorkerLeases {
  readonly worker: number;
  /** How often the event loop has turned: one element, which it counts up. */
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

/** When to start the thread again that has ended. */
const RESTART: Policy = definePolicy({
  maxAttempts: Infinity,
  backoff: { type: 'exponential', base: '100ms' },
  minDelay: '10ms',
  maxDelay: '10s',
});

/** An end that comes later than this after the one before counts as the first, in ms. */
const CALM_MS = 60_000;

/** After how many ends in a row there is no further start. */
const MAX_FAILURES = 5;

/** A worker whose leases the thread renews. */
export interface Member {
  readonly leases: WorkerLeases;
  /** The memory that has its leases. */
  readonly chunks: () => readonly LeaseChunk[];
  readonly onMessage: (message: FromThread) => void;
}

/** The one thread of this process, while any worker has it. It does not keep the process alive, and ends with it. */
class LeaseThread {
  readonly #members = new Map<number, Member>();
  #thread: Thread | undefined;
  /** Ends in a row. */
  #failures = 0;
  /** Why the thread has ended. */
  #error: string | undefined;
  #failedAt = -Infinity;
  #cancelRestart: (() => void) | undefined;

  /** Adds a worker. */
  join(member: Member): void {
    this.#members.set(member.leases.worker, member);
    if (this.#thread !== undefined) this.#introduce(member);
    else if (this.#cancelRestart === undefined) this.#start();
  }

  /** Removes a worker. The thread ends with the last one. */
  leave(worker: number): void {
    if (!this.#members.delete(worker)) return;
    this.post({ type: 'close', worker });
    if (this.#members.size > 0) return;
    this.#thread = undefined; // it closes its connections, and is ended then
    this.#cancelRestart?.();
    this.#cancelRestart = undefined;
  }

  post(message: ToThread): void {
    this.#thread?.postMessage(message);
  }

  #start(): void {
    this.#cancelRestart = undefined;
    const thread = this.#open();
    if (thread === undefined) return;
    thread.unref();
    thread.on('message', (message: FromThread | ThreadClosed) => {
      // It does not end by itself everywhere: Deno's ports of threads cannot be closed.
      if (message.type === 'closed') void thread.terminate();
      else this.#members.get(message.worker)?.onMessage(message);
    });
    thread.on('error', (error) => this.#report(error));
    thread.on('exit', () => this.#onExit(thread));
    this.#thread = thread;
    for (const member of this.#members.values()) this.#introduce(member);
  }

  /** Node refuses threads where its permission model is on and does not allow them. */
  #open(): Thread | undefined {
    try {
      return new Thread(THREAD_CODE, {
        eval: true,
        name: 'retry leases',
        execArgv: [], // what the program preloads is not meant for it
        resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 },
      });
    } catch (error) {
      this.#refuse(`The runtime refuses to start a thread: ${errorText(error).message}`);
      return undefined;
    }
  }

  #introduce({ leases, chunks }: Member): void {
    this.post({ type: 'open', leases, chunks: chunks() });
  }

  /** Meanwhile the event loop sends the heartbeats, as it does whenever it turns. */
  #onExit(thread: Thread): void {
    if (thread !== this.#thread) return;
    this.#thread = undefined;
    const now = performance.now();
    this.#failures = now - this.#failedAt > CALM_MS ? 1 : this.#failures + 1;
    this.#failedAt = now;
    if (this.#failures < MAX_FAILURES) this.#restart();
    else this.#giveUp();
  }

  #giveUp(): void {
    const cause = this.#error === undefined ? '' : `: ${this.#error}`;
    this.#refuse(`The thread ended ${this.#failures} times in a row${cause}`);
  }

  #restart(): void {
    const delayMs = computeDelay(RESTART, this.#failures, { random: Math.random });
    const timer = setTimeout(() => this.#start(), delayMs).unref();
    this.#cancelRestart = () => clearTimeout(timer);
  }

  /** Leaves the leases of all workers to the event loop. */
  #refuse(reason: string): void {
    for (const { leases, onMessage } of [...this.#members.values()])
      onMessage({ type: 'refused', worker: leases.worker, reason });
  }

  #report(error: unknown): void {
    const reason = errorText(error).message;
    this.#error = reason;
    for (const { leases, onMessage } of this.#members.values())
      onMessage({ type: 'error', worker: leases.worker, reason });
  }
}

/** The thread of this process. */
export const leaseThread: LeaseThread = new LeaseThread();
