import type { Beat, Run, Settlement } from '@retry/core/broker';
import { StalledError } from '../errors.ts';
import { sleep } from '../sleep.ts';
import type { AnyTask } from '../task/task.ts';
import { Bell } from './bell.ts';
import type { WorkerEmitter } from './events.ts';
import { Exchanger } from './exchanger.ts';
import type { Execution } from './execution.ts';
import { Executions } from './executions.ts';
import { findSilent } from './find-silent.ts';
import { makeClaim } from './make-claim.ts';
import type { WorkerSettings } from './options.ts';
import type { Outcome } from './outcome.ts';
import { reportSettled } from './reporter.ts';
import { settleOutcome } from './settle-outcome.ts';
import type { Room } from './slots.ts';

/** While one is on its way, a second exchange of little waits so long for more, in ms. */
const GATHER_MS = 1;

/** The lanes of a claim that got nothing, and when the next run of them is due. */
interface Lull {
  readonly lanes: readonly string[];
  readonly dueMs: number;
}

/**
 * The engine of a worker: claims, runs and settles until it is told to stop. Up to two exchanges are on their way
 * at a time, so that worker and broker work side by side when there is much to do.
 */
export class Engine {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #exchanger: Exchanger;
  readonly #executions: Executions;
  readonly #bell = new Bell();
  #onTheirWay = 0;
  /** The latest claim got all that it asked for: there is more to have. */
  #isPlenty = false;
  #lull: Lull | undefined;
  /** When what waits for a second exchange has waited long enough. */
  #gatherUntil: number | undefined;
  #isStopping = false;

  constructor(settings: WorkerSettings, emitter: WorkerEmitter) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#exchanger = new Exchanger(settings, (error) => this.#onError(error, 'exchanging'));
    this.#executions = new Executions(settings, emitter, {
      now: () => this.#exchanger.now(),
      onEnd: (execution, outcome) => this.#onEnd(execution, outcome),
    });
  }

  /** Whether nothing runs and everything is settled. */
  get isIdle(): boolean {
    return this.#executions.isEmpty && this.#exchanger.isDone;
  }

  /** Works until it is stopped; resolves when nothing runs any more and everything is settled. */
  async work(): Promise<void> {
    while (!(this.#isStopping && this.isIdle && this.#onTheirWay === 0)) {
      const room = this.#executions.room();
      if (this.#isTimeFor(room)) void this.#exchange(room);
      else await this.#bell.during((signal) => this.#wait(room, signal));
      // Runs that end in the same turn are settled in the same exchange.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** Extends the leases of what runs; hears of cancellations and lost leases. */
  heartbeat(): Promise<void> {
    return this.#executions.heartbeat();
  }

  /** Settles runs of known tasks whose worker fell silent. */
  async clean(): Promise<void> {
    const isMine = (claim: Beat): boolean =>
      this.#executions.holds(claim) || this.#exchanger.isSettling(claim);
    for (const { task, run } of await findSilent(this.#settings, isMine)) {
      const outcome: Outcome = { type: 'stalled', error: new StalledError() };
      this.#settle(task, run, { outcome, durationMs: 0, onlyIfExpired: true });
    }
    this.#wake();
  }

  /** Claims no more; each running run goes on, stalls or is given back, as its task says. */
  stop(): void {
    this.#isStopping = true;
    this.#executions.stop();
    this.#wake();
  }

  /** Gives back whatever still runs, and resends nothing that fails. */
  stopNow(): void {
    this.#isStopping = true;
    this.#exchanger.giveUp();
    this.#executions.stopNow();
    this.#wake();
  }

  #isTimeFor(room: Room | undefined): boolean {
    const { pending } = this.#exchanger;
    if (this.#onTheirWay === 0) return pending > 0 || (room !== undefined && this.#lull === undefined);
    if (this.#onTheirWay > 1) return false;
    const isMuch = 2 * Math.max(pending, room?.limit ?? 0) >= this.#settings.concurrency;
    if (pending === 0) return isMuch && this.#isPlenty;
    return isMuch || this.#settings.clock.now() >= (this.#gatherUntil ?? Infinity);
  }

  async #exchange(room: Room | undefined): Promise<void> {
    const claim = room && makeClaim(this.#settings, room, this.#isPlenty ? 'half' : 'all');
    const free = claim && this.#executions.reserve(claim);
    this.#lull = undefined;
    this.#gatherUntil = undefined;
    this.#onTheirWay += 1;
    const reply = await this.#exchanger.exchange(claim);
    this.#onTheirWay -= 1;
    free?.();
    if (reply !== undefined && claim !== undefined) {
      const { claimed, nextRunAt = Infinity, now } = reply;
      this.#isPlenty = claimed.length >= claim.limit;
      if (claimed.length === 0) this.#lull = { lanes: [...claim.lanes.keys()], dueMs: nextRunAt - now };
      this.#executions.take(claimed);
    }
    this.#bell.ring();
  }

  /** Waits for a ring: a run has ended, an exchange is back. */
  async #wait(room: Room | undefined, signal: AbortSignal): Promise<void> {
    const lull = this.#lull;
    if (this.#onTheirWay > 0) return this.#gather(signal);
    if (room === undefined || lull === undefined) return this.#rest(signal);
    await this.#waitForWork(lull, signal);
    this.#lull = undefined;
  }

  async #gather(signal: AbortSignal): Promise<void> {
    const { clock } = this.#settings;
    if (this.#onTheirWay > 1 || this.#exchanger.pending === 0) return sleep(clock, Infinity, signal);
    this.#gatherUntil ??= clock.now() + GATHER_MS;
    await sleep(clock, this.#gatherUntil - clock.now(), signal);
  }

  async #waitForWork({ lanes, dueMs }: Lull, signal: AbortSignal): Promise<void> {
    const timeoutMs = Math.min(this.#restMs(), Math.max(dueMs, 1));
    try {
      await this.#settings.broker.waitForWork(lanes, { timeoutMs, signal });
    } catch (error) {
      this.#onError(error, 'waiting for work');
      await this.#rest(signal);
    }
  }

  /** Waits for a ring, for a rate limit to open, or for a poll. */
  #rest(signal: AbortSignal): Promise<void> {
    return sleep(this.#settings.clock, this.#restMs(), signal);
  }

  #restMs(): number {
    return Math.min(this.#settings.pollMs, this.#executions.opensIn());
  }

  #onEnd({ task, run, durationMs }: Execution, outcome: Outcome | undefined): void {
    if (outcome !== undefined) this.#settle(task, run, { outcome, durationMs });
    this.#wake();
  }

  /** There may be room or settlements that there were not before. */
  #wake(): void {
    this.#lull = undefined;
    this.#bell.ring();
  }

  #settle(task: AnyTask, run: Run<'started'>, end: End): void {
    const { outcome, durationMs, onlyIfExpired = false } = end;
    const settled = settleOutcome(task, run, outcome, {
      now: this.#exchanger.now(),
      random: this.#settings.random,
    });
    const settlement: Settlement = { ...settled.settlement, ...(onlyIfExpired && { onlyIfExpired }) };
    this.#exchanger.push(settlement, (answer, sent) => {
      // Two cleaners may see the same silence; the one that came first tells of it.
      if (onlyIfExpired && answer === 'already' && sent === 'once') return;
      reportSettled(this.#emitter, { task, run, outcome, settled, durationMs }, answer);
    });
  }

  #onError(error: unknown, doing: string): void {
    this.#emitter.emit('error', () => ({ error, doing }));
  }
}

interface End {
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly onlyIfExpired?: boolean;
}
