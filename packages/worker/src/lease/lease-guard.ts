import { systemClock } from '../clock.ts';
import type { WorkerContext } from '../engine/worker-context.ts';
import type { Execution } from '../run/execution.ts';
import { noticeOf } from '../settle/report.ts';
import { warnRarely } from '../warn-rarely.ts';
import type { Renewal, RenewalProblem } from './choose-renewal.ts';
import { chooseRenewal } from './choose-renewal.ts';
import { LeaseTable } from './lease-table.ts';
import type { FromThread } from './lease-thread.ts';
import { leaseThread } from './lease-thread.ts';
import type { Leases } from './leases.ts';

/** One warning a process and minute, whatever the number of workers. */
const warn = warnRarely(systemClock);

let workers = 0;

/** Keeps the leases of a worker while its event loop is blocked, and reports which runs blocked it. */
export class LeaseGuard {
  readonly #worker: WorkerContext;
  readonly #leases: Leases;
  readonly #watch: LoopWatch | undefined;
  readonly #id: number;
  #renewal: Renewal;
  /** The leases, as long as a thread renews them. */
  #table: LeaseTable | undefined;

  /** @param leases - apply what the broker answers to the thread */
  constructor(worker: WorkerContext, leases: Leases) {
    const { settings } = worker;
    this.#worker = worker;
    this.#leases = leases;
    workers += 1;
    this.#id = workers;
    this.#renewal = chooseRenewal(settings);
    // Another clock than the runtime's says nothing about the event loop.
    if (settings.clock === systemClock) this.#watch = new LoopWatch(worker);
  }

  /** What renews leases while the event loop is blocked. */
  get by(): Renewal['by'] {
    return this.#renewal.by;
  }

  /** Begins. The thread starts and connects by itself, even if the event loop is blocked from here on. */
  open(): void {
    this.#watch?.open();
    if (this.#renewal.by === 'thread' && this.#watch !== undefined) this.#join(this.#renewal, this.#watch);
    else if (this.#renewal.by === 'loop') this.#fallBack(this.#renewal.problem);
  }

  /** Ends; the thread with it, if no other worker has it. */
  close(): void {
    this.#watch?.close();
    leaseThread.leave(this.#id);
  }

  /** Notes claimed runs, before their handlers are called. */
  noteClaimed(executions: readonly Execution[]): void {
    this.#table?.add(executions);
  }

  /** Notes that a run has ended. */
  noteEnd(execution: Execution): void {
    this.#watch?.noteEnd(execution);
    this.#table?.remove(execution);
  }

  #join(
    { module: { source, options }, driver }: Renewal & { readonly by: 'thread' },
    { turns }: LoopWatch,
  ): void {
    const { leaseMs, maxBlockMs } = this.#worker.settings;
    const table = new LeaseTable((chunk) => leaseThread.post({ type: 'chunk', worker: this.#id, chunk }));
    this.#table = table;
    leaseThread.join({
      leases: { worker: this.#id, turns, leaseMs, maxBlockMs, source, options: options(), driver },
      chunks: () => table.chunks,
      onMessage: (message) => this.#onMessage(message),
    });
  }

  #onMessage(message: FromThread): void {
    switch (message.type) {
      case 'refused':
        this.#fallBack({ reason: message.reason });
        break;
      case 'error':
        this.#worker.emitError(new Error(message.reason), 'renewing leases in a thread');
        break;
      case 'answers':
        this.#apply(message);
        break;
    }
  }

  #apply({ answers }: FromThread & { readonly type: 'answers' }): void {
    const executions = new Map([...this.#worker.executions].map((each) => [each.run.id, each]));
    for (const { id, epoch, answer } of answers) {
      const execution = executions.get(id);
      if (execution?.run.epoch === epoch) this.#leases.apply(execution, answer);
    }
  }

  #fallBack(problem?: RenewalProblem): void {
    leaseThread.leave(this.#id);
    this.#renewal = { by: 'loop' };
    this.#table = undefined;
    if (problem === undefined) return;
    const { reason, cure } = problem;
    const acceptance = "ccept that with leaseRenewal: 'loop'.";
    warn({
      code: 'RETRY_LEASES_ON_LOOP',
      message: `retry worker: a handler that blocks the event loop for longer than its lease (${this.#worker.settings.leaseMs} ms) loses it. ${reason}.`,
      cure: cure === undefined ? `A${acceptance}` : `${cure}, or a${acceptance}`,
    });
  }
}

/** How often the loop notes that it turns, for each lease, and at least once a second. */
const TURNS_PER_LEASE = 12;

/** A block lasts for a third of a lease at least: for that long a heartbeat may be late. */
const BLOCKS_PER_LEASE = 3;

/** Counts the turns of the event loop, and emits how long it was blocked, and by which runs. */
class LoopWatch {
  /** How often the loop has turned: one element, which another thread may read. */
  readonly turns: Int32Array = new Int32Array(new SharedArrayBuffer(4));
  readonly #worker: WorkerContext;
  /** Runs that ended in a long turn: of a block, the one whose handler, or the decision about it, caused it. */
  #ended: Execution[] = [];
  #turnedAt = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(worker: WorkerContext) {
    this.#worker = worker;
  }

  /** Begins to watch; does not keep the process alive. */
  open(): void {
    this.#turnedAt = performance.now();
    const everyMs = Math.min(this.#worker.settings.leaseMs / TURNS_PER_LEASE, 1_000);
    this.#timer = setInterval(() => this.#turn(everyMs), everyMs);
    this.#timer.unref?.();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Notes that a run has ended, and that its end is decided. */
  noteEnd(execution: Execution): void {
    const turnMs = performance.now() - this.#turnedAt;
    if (turnMs >= this.#worker.settings.leaseMs / BLOCKS_PER_LEASE) this.#ended.push(execution);
  }

  #turn(everyMs: number): void {
    Atomics.add(this.turns, 0, 1);
    const now = performance.now();
    const blockedMs = now - this.#turnedAt - everyMs;
    this.#turnedAt = now;
    if (blockedMs >= this.#worker.settings.leaseMs / BLOCKS_PER_LEASE)
      this.#emitBlocked(Math.round(blockedMs));
    this.#ended = [];
  }

  #emitBlocked(blockedMs: number): void {
    const { emitter, executions } = this.#worker;
    const running = [...executions].filter(({ hasStarted }) => hasStarted);
    const runs = [...this.#ended, ...running].map(({ task, run }) => noticeOf(task, run));
    if (runs.length === 0) return; // a program that loads its modules, for instance
    emitter.emit('blocked', () => ({ blockedMs, runs }));
  }
}
