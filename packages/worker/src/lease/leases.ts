import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import { isRefused } from '../broker.ts';
import { CancelledError, LeaseLostError } from '../errors.ts';
import type { WorkerEmitter } from '../events.ts';
import type { WorkerSettings } from '../options.ts';
import { CancelWatch } from '../run/cancel-watch.ts';
import type { Execution } from '../run/execution.ts';
import { sendHeartbeats } from '../run/heartbeats.ts';
import { noticeOf } from '../settle/report.ts';
import { LeaseGuard } from './lease-guard.ts';

interface LeasesPort {
  readonly emitter: WorkerEmitter;
  /** All claimed runs of the worker. */
  readonly executions: Iterable<Execution>;
  /** Called when the answers to heartbeats begin or cease to fail. */
  readonly onChange: () => void;
  readonly onError: (error: unknown, doing: string) => void;
}

/** The leases of a worker: extends them, and applies what the broker answers, a cancel request or that one is lost. */
export class Leases {
  readonly #settings: WorkerSettings;
  readonly #port: LeasesPort;
  readonly #guard: LeaseGuard;
  readonly #cancelWatch: CancelWatch;
  #areHeartbeatsLost = false;
  /** Runs of this turn whose leases are renewed before their handlers are called, and when that is answered. */
  #late: Execution[] = [];
  #lateAnsweredAt: Promise<number> | undefined;

  constructor(settings: WorkerSettings, port: LeasesPort) {
    const { emitter, executions } = port;
    this.#settings = settings;
    this.#port = port;
    this.#guard = new LeaseGuard(settings, {
      emitter,
      executions: () => executions,
      onAnswer: (execution, answer) => this.#onAnswer(execution, answer),
    });
    this.#cancelWatch = new CancelWatch({
      broker: settings.broker,
      clock: settings.clock,
      executions: () => [...executions],
      onCancel: (execution) => cancel(execution),
      onError: (error) => port.onError(error, 'asking for cancel requests'),
    });
  }

  /** By whom they are renewed while the event loop is blocked. */
  get renewal(): 'thread' | 'loop' {
    return this.#guard.by;
  }

  /** Whether they may be lost before long: the broker did not answer the latest heartbeats in time. */
  get areHeartbeatsLost(): boolean {
    return this.#areHeartbeatsLost;
  }

  /** Subscribes to cancel requests. */
  watchCancelRequests(): void {
    this.#cancelWatch.open();
  }

  /** Begins to guard them, which may take as long as the broker takes to be ready. */
  guard(): void {
    this.#guard.open();
  }

  /** Leaves neither listener nor timer behind. */
  close(): void {
    this.#cancelWatch.close();
    this.#guard.close();
  }

  /** All of them. */
  list(): readonly HeartbeatRequest[] {
    return [...this.#port.executions].map(({ run: { id, epoch } }) => ({ id, epoch }));
  }

  /** Notes claimed runs, before their handlers are called. */
  noteClaimed(executions: readonly Execution[]): void {
    this.#guard.noteClaimed(executions);
  }

  /** Notes that a handler is being called. */
  noteStart(): void {
    this.#cancelWatch.arm();
  }

  /** Notes that a run has ended. */
  noteEnd(execution: Execution): void {
    this.#guard.noteEnd(execution);
  }

  /**
   * Extends a lease before its handler is called; those of one turn of the event loop together.
   *
   * @returns whether the answer came in time: the lease lasts until the next heartbeat
   */
  async renew(execution: Execution): Promise<boolean> {
    this.#late.push(execution);
    this.#lateAnsweredAt ??= this.#renewLate();
    return (await this.#lateAnsweredAt) <= execution.leasedUntil - this.#settings.heartbeatMs;
  }

  async #renewLate(): Promise<number> {
    await Promise.resolve();
    const late = this.#late;
    this.#late = [];
    this.#lateAnsweredAt = undefined;
    await this.heartbeat(late);
    return this.#settings.clock.now();
  }

  /** Extends all of them, or some, and applies the broker's answers. */
  async heartbeat(executions: Iterable<Execution> = this.#port.executions): Promise<void> {
    const { broker, clock, leaseMs, heartbeatMs } = this.#settings;
    const sentAt = clock.now();
    let areLost = false;
    await sendHeartbeats([...executions], {
      ...{ broker, clock, leaseMs },
      onAnswer: (execution, answer) => this.#onAnswer(execution, answer),
      onError: (error) => {
        areLost ||= !isRefused(broker, error);
        this.#port.onError(error, 'heartbeating');
      },
    });
    areLost ||= clock.now() - sentAt > leaseMs - heartbeatMs;
    if (areLost === this.#areHeartbeatsLost) return;
    this.#areHeartbeatsLost = areLost;
    this.#port.onChange();
  }

  #onAnswer(execution: Execution, answer: HeartbeatAnswer | undefined): void {
    if (answer === 'cancel') cancel(execution);
    if (answer !== 'fenced' && answer !== 'gone') return;
    // It may have ended and been settled while the heartbeat was pending.
    if (!execution.abandon(new LeaseLostError())) return;
    this.#port.emitter.emit('fenced', () => ({ ...noticeOf(execution.task, execution.run), answer }));
  }
}

function cancel(execution: Execution): void {
  execution.interrupt({ type: 'cancelled' }, new CancelledError());
}
