import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import { isCommitted, isRefused } from '../broker.ts';
import type { Exchanger } from '../engine/exchanger.ts';
import { apply } from '../engine/plan/apply.ts';
import type { WorkerContext } from '../engine/worker-context.ts';
import { CancelledError, LeaseLostError } from '../errors.ts';
import { halves } from '../halves.ts';
import type { Execution } from '../run/execution.ts';
import { noticeOf } from '../settle/report.ts';
import { MAX_LEASES } from './heartbeats.ts';

/** A lease that is extended. */
interface Lease {
  readonly claim: HeartbeatRequest;
  /** Absent for a run that has ended here: what becomes of it its settlement says. */
  readonly execution?: Execution;
}

/** The leases of a worker: extends them, and applies what the broker answers, a cancel request or that one is lost. */
export class Leases {
  readonly #worker: WorkerContext;
  readonly #exchanger: Exchanger;
  #areLost = false;
  /** Runs of this turn whose leases are renewed before their handlers are called, and when that is answered. */
  #late: Execution[] = [];
  #lateAnsweredAt: Promise<number> | undefined;
  /** Runs that have no lease any more, of which the broker is being asked whether their handlers have committed them. */
  readonly #asked = new Set<Execution>();

  /** @param exchanger - has the claims whose runs have ended here, and whose settlements have not been answered */
  constructor(worker: WorkerContext, exchanger: Exchanger) {
    this.#worker = worker;
    this.#exchanger = exchanger;
  }

  /**
   * Extends a lease before its handler is called; those of one turn of the event loop together.
   *
   * @returns whether the answer came in time: the lease lasts until the next heartbeat
   */
  async renew(execution: Execution): Promise<boolean> {
    this.#late.push(execution);
    this.#lateAnsweredAt ??= this.#renewLate();
    return (await this.#lateAnsweredAt) <= execution.leasedUntil - this.#worker.settings.heartbeatMs;
  }

  async #renewLate(): Promise<number> {
    await Promise.resolve();
    const late = this.#late;
    this.#late = [];
    this.#lateAnsweredAt = undefined;
    await this.#extend(late.map(leaseOf));
    return this.#worker.settings.clock.now();
  }

  /**
   * Extends all of them, also those of runs that are being settled: a run whose handler has returned is no stalled one, however long the
   * broker does not answer.
   *
   * @returns whether the broker answered
   */
  heartbeat(): Promise<boolean> {
    const settling = this.#exchanger.settling().filter(({ onlyIfExpired }) => onlyIfExpired !== true);
    const ended = settling.map((claim): Lease => ({ claim }));
    const leased = [...this.#worker.executions].filter(({ isCommitted }) => !isCommitted);
    return this.#extend([...leased.map(leaseOf), ...ended]);
  }

  /** Extends leases and applies the broker's answers. A call that fails does not prevent the others. @returns whether it answered */
  async #extend(leases: readonly Lease[]): Promise<boolean> {
    const { clock, leaseMs, heartbeatMs } = this.#worker.settings;
    const sentAt = clock.now();
    let isAnswered = true;
    for (let first = 0; first < leases.length; first += MAX_LEASES)
      isAnswered = (await this.#extendTogether(leases.slice(first, first + MAX_LEASES))) && isAnswered;
    const areLost = !isAnswered || clock.now() - sentAt > leaseMs - heartbeatMs;
    if (areLost !== this.#areLost) {
      this.#areLost = areLost;
      apply(this.#worker.state, { type: 'heartbeats', areLost });
      this.#worker.wake();
    }
    return isAnswered;
  }

  /** Divides a call that the broker refuses, so that one bad lease does not cost the others. @returns whether it answered */
  async #extendTogether(leases: readonly Lease[]): Promise<boolean> {
    const { broker, clock, leaseMs } = this.#worker.settings;
    const leasedUntil = clock.now() + leaseMs;
    try {
      const answers = await broker.heartbeat(leases.map(requestOf), leaseMs);
      for (const [index, { execution }] of leases.entries())
        if (execution !== undefined) this.#note(execution, answers[index], leasedUntil);
      return true;
    } catch (error) {
      const isRefusal = isRefused(broker, error);
      if (leases.length === 1 || !isRefusal) {
        this.#worker.emitError(error, 'heartbeating');
        return isRefusal;
      }
    }
    const [first, second] = halves(leases);
    const isFirstAnswered = await this.#extendTogether(first);
    return (await this.#extendTogether(second)) && isFirstAnswered;
  }

  #note(execution: Execution, answer: HeartbeatAnswer | undefined, leasedUntil: number): void {
    if (answer === 'ok' || answer === 'cancel') execution.leasedUntil = leasedUntil;
    this.apply(execution, answer);
  }

  /** Applies what the broker has answered to a heartbeat of this run. */
  apply(execution: Execution, answer: HeartbeatAnswer | undefined): void {
    if (answer === 'cancel') cancel(execution);
    if (answer !== 'fenced' && answer !== 'gone') return;
    if (execution.isCompleting) void this.#loseUnlessCommitted(execution, answer);
    else this.#lose(execution, answer);
  }

  /** The lease of a run that its handler has completed in a transaction ends with the commit, and is not lost by that. Never rejects. */
  async #loseUnlessCommitted(execution: Execution, answer: 'fenced' | 'gone'): Promise<void> {
    if (execution.isCommitted || this.#asked.has(execution)) return;
    this.#asked.add(execution);
    try {
      execution.isCommitted = await isCommitted(this.#worker.settings.broker, execution.run);
      if (!execution.isCommitted) this.#lose(execution, answer);
    } catch (error) {
      this.#worker.emitError(error, 'asking for a commit'); // again after the next heartbeat
    }
    this.#asked.delete(execution);
  }

  #lose(execution: Execution, answer: 'fenced' | 'gone'): void {
    // It may have ended and been settled while the heartbeat was pending.
    if (!execution.loseLease(new LeaseLostError())) return;
    this.#worker.emitter.emit('fenced', () => ({ ...noticeOf(execution.task, execution.run), answer }));
  }
}

function leaseOf(execution: Execution): Lease {
  return { claim: execution.run, execution };
}

function requestOf({ claim: { id, epoch } }: Lease): HeartbeatRequest {
  return { id, epoch };
}

/** How often the broker is asked for cancel requests, and how long a handler runs before it is asked about, in ms. */
const POLL_MS = 500;

/**
 * Passes cancel requests to running handlers within a second. It asks the broker only while there is a handler that has run for some
 * time.
 */
export class CancelWatch {
  readonly #worker: WorkerContext;
  #cancelTimer: (() => void) | undefined;
  #isPolling = false;
  #isClosed = false;

  constructor(worker: WorkerContext) {
    this.#worker = worker;
  }

  /** Schedules a poll, because a handler has started. Whether one still runs is checked then: most end sooner. */
  arm(): void {
    if (this.#isClosed || this.#isPolling || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = this.#worker.settings.clock.setTimer(() => void this.#poll(), POLL_MS);
  }

  /** Ends polling. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
  }

  async #poll(): Promise<void> {
    const { executions } = this.#worker;
    this.#cancelTimer = undefined;
    this.#isPolling = true;
    const asked = [...executions].filter((each) => !each.isCommitted && each.durationMs >= POLL_MS);
    for (let first = 0; first < asked.length; first += MAX_LEASES)
      await this.#askAbout(asked.slice(first, first + MAX_LEASES));
    this.#isPolling = false;
    if ([...executions].some(({ hasStarted }) => hasStarted)) this.arm();
  }

  async #askAbout(executions: readonly Execution[]): Promise<void> {
    const { broker } = this.#worker.settings;
    try {
      const answers = await broker.heartbeat(executions.map(leaseOf).map(requestOf), 0);
      for (const [index, execution] of executions.entries())
        if (answers[index] === 'cancel') cancel(execution);
    } catch (error) {
      if (!this.#isClosed) this.#worker.emitError(error, 'asking for cancel requests');
    }
  }
}

/** Passes a cancel request to a run: its signal aborts, or it ends. */
function cancel(execution: Execution): void {
  execution.interrupt({ type: 'cancelled' }, new CancelledError());
}
