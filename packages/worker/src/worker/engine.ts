import { randomUUID } from 'node:crypto';
import type { Claim, ClaimedRun, Run, Settlement } from '@retry/core/broker';
import { CancelledError, LeaseLostError, ShutdownError, StalledError } from '../errors.ts';
import { sleep } from '../sleep.ts';
import type { AnyTask } from '../task/task.ts';
import { Bell } from './bell.ts';
import type { WorkerEmitter } from './events.ts';
import { Exchanger } from './exchanger.ts';
import { Execution } from './execution.ts';
import type { WorkerSettings } from './options.ts';
import type { Outcome } from './outcome.ts';
import { latenessOf, noticeOf, reportSettled } from './reporter.ts';
import { settleOutcome } from './settle-outcome.ts';
import { Slots } from './slots.ts';

/** What an execution that its worker gave up ends with. */
const RELEASED: Outcome = { type: 'released' };

/** The most expired runs that one look of the cleaner takes. */
const MOST_EXPIRED = 1_000;

/** The engine of a worker: claims, runs and settles until it is told to stop. */
export class Engine {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #exchanger: Exchanger;
  readonly #slots: Slots;
  readonly #running = new Set<Execution>();
  readonly #bell = new Bell();
  #isStopping = false;

  constructor(settings: WorkerSettings, emitter: WorkerEmitter) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#exchanger = new Exchanger(settings, (error) => this.#onError(error, 'exchanging'));
    this.#slots = new Slots(settings.tasks.values(), settings.concurrency);
  }

  /** Whether nothing runs and everything is settled. */
  get isIdle(): boolean {
    return this.#running.size === 0 && !this.#exchanger.hasPending;
  }

  /** Works until it is stopped; resolves when nothing runs any more and everything is settled. */
  async work(): Promise<void> {
    while (!(this.#isStopping && this.isIdle)) {
      const claim = this.#nextClaim();
      if (claim === undefined && !this.#exchanger.hasPending) {
        await this.#bell.during((signal) => this.#rest(signal));
      } else {
        await this.#exchange(claim);
      }
      // Runs that end in the same turn are settled in the same exchange.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** Extends the leases of what runs; hears of cancellations and lost leases. */
  async heartbeat(): Promise<void> {
    const running = [...this.#running];
    if (running.length === 0) return;
    const beats = running.map(({ run: { id, epoch } }) => ({ id, epoch }));
    const answers = await this.#settings.broker.heartbeat(beats, this.#settings.leaseMs);
    running.forEach((execution, index) => {
      const answer = answers[index];
      if (answer === 'cancel') execution.interrupt({ type: 'cancelled' }, new CancelledError());
      if (answer === 'fenced' || answer === 'gone') this.#lose(execution, answer);
    });
  }

  /** Settles runs of known tasks whose worker fell silent. */
  async clean(): Promise<void> {
    const mine = new Set([...this.#running].map(({ run: { id, epoch } }) => `${epoch}:${id}`));
    const isMine = (run: Run): boolean =>
      mine.has(`${run.epoch}:${run.id}`) || this.#exchanger.isSettling(run);
    for (const run of await this.#settings.broker.findExpired(MOST_EXPIRED)) {
      const task = this.#settings.tasks.get(run.lane);
      if (task === undefined || isMine(run)) continue;
      const outcome: Outcome = { type: 'stalled', error: new StalledError() };
      this.#settle(task, run as Run<'started'>, { outcome, durationMs: 0, onlyIfExpired: true }); // expired runs are started
    }
    this.#bell.ring();
  }

  /** Claims no more; each running run goes on, stalls or is given back, as its task says. */
  stop(): void {
    this.#isStopping = true;
    for (const execution of [...this.#running]) {
      const { onShutdown } = execution.task;
      if (onShutdown === 'stop') {
        execution.interrupt(
          { type: 'stalled', error: new StalledError('the worker stopped') },
          new ShutdownError(),
        );
      } else if (onShutdown === 'resubmit') execution.interrupt(RELEASED, new ShutdownError());
    }
    this.#bell.ring();
  }

  /** Gives back whatever still runs, and resends nothing that fails. */
  stopNow(): void {
    this.#isStopping = true;
    this.#exchanger.giveUp();
    for (const execution of [...this.#running]) execution.interrupt(RELEASED, new ShutdownError());
    this.#bell.ring();
  }

  #nextClaim(): Claim | undefined {
    const { name, leaseMs, clock } = this.#settings;
    const room = this.#isStopping ? undefined : this.#slots.room(clock.now());
    return room && { worker: name, requestId: randomUUID(), leaseMs, ...room };
  }

  async #exchange(claim: Claim | undefined): Promise<void> {
    const reply = await this.#exchanger.exchange(claim);
    if (reply === undefined) return;
    for (const claimed of reply.claimed) this.#start(claimed);
    if (claim === undefined || reply.claimed.length > 0 || this.#exchanger.hasPending) return;
    const dueMs = (reply.nextRunAt ?? Infinity) - reply.now;
    await this.#bell.during((signal) => this.#waitForWork(claim, dueMs, signal));
  }

  async #waitForWork({ lanes }: Claim, dueMs: number, signal: AbortSignal): Promise<void> {
    const timeoutMs = Math.min(this.#restMs(), Math.max(dueMs, 1));
    try {
      await this.#settings.broker.waitForWork([...lanes.keys()], { timeoutMs, signal });
    } catch (error) {
      this.#onError(error, 'waiting for work');
      await this.#rest(signal);
    }
  }

  /** Nothing to claim and nothing to settle: waits for a ring, or for a rate limit to open. */
  #rest(signal: AbortSignal): Promise<void> {
    return sleep(this.#settings.clock, this.#restMs(), signal);
  }

  #restMs(): number {
    const { clock, pollMs } = this.#settings;
    return Math.min(pollMs, this.#slots.opensIn(clock.now()));
  }

  #start({ run, isOverLimit }: ClaimedRun): void {
    const { tasks, clock } = this.#settings;
    const task = tasks.get(run.lane);
    if (task === undefined) return;
    const notice = noticeOf(task, run);
    const execution: Execution = new Execution(task, run, {
      clock,
      log: (message, details) => this.#emitter.emit('log', { ...notice, message, details }),
      onEnd: (outcome) => this.#onEnd(execution, outcome),
    });
    this.#running.add(execution);
    this.#slots.take(task);
    if (this.#isStopping) execution.interrupt(RELEASED, new ShutdownError());
    else if (isOverLimit || !this.#slots.start(task, clock.now()))
      execution.interrupt({ type: 'limited' }, undefined);
    else {
      this.#emitter.emit('started', { ...notice, latenessMs: latenessOf(run) });
      execution.start();
    }
  }

  #onEnd(execution: Execution, outcome: Outcome | undefined): void {
    const { task, run, startedAt } = execution;
    this.#running.delete(execution);
    this.#slots.free(task);
    if (outcome !== undefined)
      this.#settle(task, run, { outcome, durationMs: this.#settings.clock.now() - startedAt });
    this.#bell.ring();
  }

  #settle(task: AnyTask, run: Run<'started'>, end: End): void {
    const { outcome, durationMs, onlyIfExpired = false } = end;
    const settled = settleOutcome(task, run, outcome, {
      now: this.#exchanger.now(),
      random: this.#settings.random,
    });
    const settlement: Settlement = { ...settled.settlement, ...(onlyIfExpired && { onlyIfExpired }) };
    this.#exchanger.push(settlement, (answer) => {
      reportSettled(this.#emitter, { task, run, outcome, settled, durationMs }, answer);
    });
  }

  #lose(execution: Execution, answer: 'fenced' | 'gone'): void {
    // It may have ended, and been settled, while the heartbeat was on its way.
    if (!execution.abandon(new LeaseLostError())) return;
    this.#emitter.emit('fenced', { ...noticeOf(execution.task, execution.run), answer });
  }

  #onError(error: unknown, doing: string): void {
    this.#emitter.emit('error', { error, doing });
  }
}

interface End {
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly onlyIfExpired?: boolean;
}
