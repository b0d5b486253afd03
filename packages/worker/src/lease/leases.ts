import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import { isRefused } from '../broker.ts';
import { CancelledError, LeaseLostError } from '../errors.ts';
import type { WorkerEmitter } from '../events.ts';
import type { WorkerSettings } from '../options.ts';
import { CancelWatch } from '../run/cancel-watch.ts';
import type { Execution } from '../run/execution.ts';
import type { Leased } from '../run/heartbeats.ts';
import { sendHeartbeats } from '../run/heartbeats.ts';
import { noticeOf } from '../settle/report.ts';
import { LeaseGuard } from './lease-guard.ts';

interface LeasesPort {
  readonly emitter: WorkerEmitter;
  /** All claimed runs of the worker. */
  readonly executions: Iterable<Execution>;
  /** Claims whose runs have ended here, and whose settlements have not been answered. */
  readonly settling: () => readonly HeartbeatRequest[];
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
    await this.#send(late.map((each) => this.#leaseOf(each)));
    return this.#settings.clock.now();
  }

  /**
   * Extends all of them, also those of runs that are being settled: a run whose handler has returned is no stalled one, however long the
   * broker does not answer.
   *
   * @returns whether the broker answered
   */
  heartbeat(): Promise<boolean> {
    const settling = this.#port.settling().map((run): Leased => ({ run, noteHeartbeat: ignore }));
    return this.#send([...[...this.#port.executions].map((each) => this.#leaseOf(each)), ...settling]);
  }

  /** Extends leases and applies the broker's answers. @returns whether it answered */
  async #send(leases: readonly Leased[]): Promise<boolean> {
    const { broker, clock, leaseMs, heartbeatMs } = this.#settings;
    const sentAt = clock.now();
    let isAnswered = true;
    await sendHeartbeats(leases, {
      ...{ broker, clock, leaseMs },
      onError: (error) => {
        isAnswered &&= isRefused(broker, error);
        this.#port.onError(error, 'heartbeating');
      },
    });
    const areLost = !isAnswered || clock.now() - sentAt > leaseMs - heartbeatMs;
    if (areLost !== this.#areHeartbeatsLost) {
      this.#areHeartbeatsLost = areLost;
      this.#port.onChange();
    }
    return isAnswered;
  }

  #leaseOf(execution: Execution): Leased {
    return {
      run: execution.run,
      noteHeartbeat: (answer, leasedUntil) => {
        if (answer === 'ok' || answer === 'cancel') execution.noteRenewed(leasedUntil);
        this.#onAnswer(execution, answer);
      },
    };
  }

  #onAnswer(execution: Execution, answer: HeartbeatAnswer | undefined): void {
    if (answer === 'cancel') cancel(execution);
    if (answer !== 'fenced' && answer !== 'gone') return;
    // It may have ended and been settled while the heartbeat was pending.
    if (!execution.loseLease(new LeaseLostError())) return;
    this.#port.emitter.emit('fenced', () => ({ ...noticeOf(execution.task, execution.run), answer }));
  }
}

/** What becomes of such a run its settlement says. */
function ignore(): void {}

function cancel(execution: Execution): void {
  execution.interrupt({ type: 'cancelled' }, new CancelledError());
}
