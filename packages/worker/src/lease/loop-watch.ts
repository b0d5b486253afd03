import type { WorkerEmitter } from '../events.ts';
import type { Execution } from '../run/execution.ts';
import { noticeOf } from '../settle/report.ts';

/** How often the loop notes that it turns, for each lease, and at least once a second. */
const TURNS_PER_LEASE = 12;

/** A block lasts for a third of a lease at least: for that long a heartbeat may be late. */
const BLOCKS_PER_LEASE = 3;

interface WatchPorts {
  readonly leaseMs: number;
  readonly emitter: WorkerEmitter;
  readonly executions: Iterable<Execution>;
}

/** Counts the turns of the event loop, and emits how long it was blocked, and by which runs. */
export class LoopWatch {
  /** One element, which another thread may read. */
  readonly turns: Int32Array = new Int32Array(new SharedArrayBuffer(4));
  readonly #ports: WatchPorts;
  /** Runs that ended in a long turn: of a block, the one whose handler, or the decision about it, caused it. */
  #ended: Execution[] = [];
  #turnedAt = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(ports: WatchPorts) {
    this.#ports = ports;
  }

  /** Begins to watch; does not keep the process alive. */
  open(): void {
    this.#turnedAt = performance.now();
    const everyMs = Math.min(this.#ports.leaseMs / TURNS_PER_LEASE, 1_000);
    this.#timer = setInterval(() => this.#turn(everyMs), everyMs);
    this.#timer.unref?.();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Notes that a run has ended, and that its end is decided. */
  noteEnd(execution: Execution): void {
    const turnMs = performance.now() - this.#turnedAt;
    if (turnMs >= this.#ports.leaseMs / BLOCKS_PER_LEASE) this.#ended.push(execution);
  }

  #turn(everyMs: number): void {
    Atomics.add(this.turns, 0, 1);
    const now = performance.now();
    const blockedMs = now - this.#turnedAt - everyMs;
    this.#turnedAt = now;
    if (blockedMs >= this.#ports.leaseMs / BLOCKS_PER_LEASE) this.#emitBlocked(Math.round(blockedMs));
    this.#ended = [];
  }

  #emitBlocked(blockedMs: number): void {
    const { emitter, executions } = this.#ports;
    const running = [...executions].filter(({ hasStarted }) => hasStarted);
    const runs = [...this.#ended, ...running].map(({ task, run }) => noticeOf(task, run));
    if (runs.length === 0) return; // a program that loads its modules, for instance
    emitter.emit('blocked', () => ({ blockedMs, runs }));
  }
}
