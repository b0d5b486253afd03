import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import { isRefused } from '../broker.ts';
import type { Exchanger } from '../engine/exchanger.ts';
import { CancelledError, LeaseLostError } from '../errors.ts';
import type { WorkerEmitter } from '../events.ts';
import type { WorkerSettings } from '../options.ts';
import type { Execution } from '../run/execution.ts';
import { noticeOf } from '../settle/report.ts';
import { LeaseGuard } from './lease-guard.ts';

/** The most leases that one call extends, or asks about. */
const MAX_LEASES = 1_000;

/** A claim whose lease is extended. */
interface Leased {
  readonly run: HeartbeatRequest;
  /** Called with the answer; the lease lasts until that instant of the worker's clock, at least, if it was extended. */
  readonly noteHeartbeat: (answer: HeartbeatAnswer | undefined, leasedUntil: number) => void;
}

interface Sending extends Pick<WorkerSettings, 'broker' | 'clock' | 'leaseMs'> {
  readonly onError: (error: unknown) => void;
}

interface LeasesParts {
  readonly emitter: WorkerEmitter;
  /** All claimed runs of the worker. */
  readonly executions: Iterable<Execution>;
  /** Has the claims whose runs have ended here, and whose settlements have not been answered. */
  readonly exchanger: Exchanger;
  /** Called when the answers to heartbeats begin to fail, or no longer do. */
  readonly onChange: (areLost: boolean) => void;
}

/** The leases of a worker: extends them, and applies what the broker answers, a cancel request or that one is lost. */
export class Leases {
  readonly #settings: WorkerSettings;
  readonly #parts: LeasesParts;
  readonly #guard: LeaseGuard;
  readonly #cancelWatch: CancelWatch;
  #areHeartbeatsLost = false;
  /** Runs of this turn whose leases are renewed before their handlers are called, and when that is answered. */
  #late: Execution[] = [];
  #lateAnsweredAt: Promise<number> | undefined;

  constructor(settings: WorkerSettings, parts: LeasesParts) {
    const { emitter, executions } = parts;
    this.#settings = settings;
    this.#parts = parts;
    this.#guard = new LeaseGuard(settings, {
      emitter,
      executions,
      onAnswer: (execution, answer) => this.#onAnswer(execution, answer),
    });
    this.#cancelWatch = new CancelWatch(settings, emitter, executions);
  }

  /** By whom they are renewed while the event loop is blocked. */
  get renewal(): 'thread' | 'loop' {
    return this.#guard.by;
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
    return [...this.#parts.executions].map(({ run: { id, epoch } }) => ({ id, epoch }));
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
    const settling = this.#parts.exchanger.settling().filter(({ onlyIfExpired }) => onlyIfExpired !== true);
    const ended = settling.map((run): Leased => ({ run, noteHeartbeat: ignore }));
    return this.#send([...[...this.#parts.executions].map((each) => this.#leaseOf(each)), ...ended]);
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
        this.#parts.emitter.emit('error', () => ({ error, doing: 'heartbeating' }));
      },
    });
    const areLost = !isAnswered || clock.now() - sentAt > leaseMs - heartbeatMs;
    if (areLost !== this.#areHeartbeatsLost) {
      this.#areHeartbeatsLost = areLost;
      this.#parts.onChange(areLost);
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
    if (answer === 'cancel') cancelExecution(execution);
    if (answer !== 'fenced' && answer !== 'gone') return;
    // It may have ended and been settled while the heartbeat was pending.
    if (!execution.loseLease(new LeaseLostError())) return;
    this.#parts.emitter.emit('fenced', () => ({ ...noticeOf(execution.task, execution.run), answer }));
  }
}

/** What becomes of such a run its settlement says. */
function ignore(): void {}

/** Extends all these leases. A call that fails does not prevent the others. Never rejects. */
async function sendHeartbeats(leases: readonly Leased[], sending: Sending): Promise<void> {
  for (let first = 0; first < leases.length; first += MAX_LEASES) {
    await sendBatch(leases.slice(first, first + MAX_LEASES), sending);
  }
}

/** Divides a call that the broker refuses, so that one bad lease does not cost the others. */
async function sendBatch(leases: readonly Leased[], sending: Sending): Promise<void> {
  const { broker, clock, leaseMs, onError } = sending;
  const beats = leases.map(({ run: { id, epoch } }) => ({ id, epoch }));
  const leasedUntil = clock.now() + leaseMs;
  try {
    const answers = await broker.heartbeat(beats, leaseMs);
    for (const [index, lease] of leases.entries()) lease.noteHeartbeat(answers[index], leasedUntil);
  } catch (error) {
    if (leases.length === 1 || !isRefused(broker, error)) return onError(error);
    const middle = Math.ceil(leases.length / 2);
    await sendBatch(leases.slice(0, middle), sending);
    await sendBatch(leases.slice(middle), sending);
  }
}

/** How often the broker is asked for cancel requests, and how long a handler runs before it is asked about, in ms. */
const POLL_MS = 500;

/**
 * Passes cancel requests to running handlers within a second. It asks the broker only while there is a handler that has run for some
 * time.
 */
export class CancelWatch {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #executions: Iterable<Execution>;
  #cancelTimer: (() => void) | undefined;
  #isPolling = false;
  #isClosed = false;

  /** @param executions - all claimed runs of the worker */
  constructor(settings: WorkerSettings, emitter: WorkerEmitter, executions: Iterable<Execution>) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#executions = executions;
  }

  /** Schedules a poll, because a handler has started. Whether one still runs is checked then: most end sooner. */
  arm(): void {
    if (this.#isClosed || this.#isPolling || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = this.#settings.clock.setTimer(() => void this.#poll(), POLL_MS);
  }

  /** Ends polling. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
  }

  async #poll(): Promise<void> {
    const report = (error: unknown): void => (this.#isClosed ? undefined : this.#onError(error));
    this.#cancelTimer = undefined;
    this.#isPolling = true;
    const asked = [...this.#executions].filter(({ durationMs }) => durationMs >= POLL_MS);
    for (let first = 0; first < asked.length; first += MAX_LEASES) {
      await this.#askAbout(asked.slice(first, first + MAX_LEASES)).catch(report);
    }
    this.#isPolling = false;
    if ([...this.#executions].some(({ hasStarted }) => hasStarted)) this.arm();
  }

  async #askAbout(executions: readonly Execution[]): Promise<void> {
    const { broker } = this.#settings;
    const leases = executions.map(({ run: { id, epoch } }) => ({ id, epoch }));
    const answers = await broker.heartbeat(leases, 0);
    for (const [index, execution] of executions.entries())
      if (answers[index] === 'cancel') cancelExecution(execution);
  }

  #onError(error: unknown): void {
    this.#emitter.emit('error', () => ({ error, doing: 'asking for cancel requests' }));
  }
}

/** Passes a cancel request to a run: its signal aborts, or it ends. */
export function cancelExecution(execution: Execution): void {
  execution.interrupt({ type: 'cancelled' }, new CancelledError());
}
