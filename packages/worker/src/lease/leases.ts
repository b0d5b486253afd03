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
  readonly executions: ReadonlySet<Execution>;
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

  /** Whether they may be lost before long: the broker did not answer the latest heartbeats. */
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

  /** Notes a claimed run, before its handler is called. */
  noteClaimed(execution: Execution): void {
    this.#guard.noteClaimed(execution);
  }

  /** Notes that a handler is being called. */
  noteStart(): void {
    this.#cancelWatch.arm();
  }

  /** Notes that a run has ended. */
  noteEnd(execution: Execution): void {
    this.#guard.noteEnd(execution);
  }

  /** Extends them and applies the broker's answers. */
  async heartbeat(): Promise<void> {
    const { broker, leaseMs } = this.#settings;
    let areLost = false;
    await sendHeartbeats([...this.#port.executions], {
      broker,
      leaseMs,
      onAnswer: (execution, answer) => this.#onAnswer(execution, answer),
      onError: (error) => {
        areLost ||= !isRefused(broker, error);
        this.#port.onError(error, 'heartbeating');
      },
    });
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
