import { isRetryError } from '@retry/core';
import type { WorkerEmitter } from '../events.ts';
import { Settler } from '../settle/settler.ts';
import { sleep } from '../sleep.ts';
import type { WorkerSettings } from '../worker-options.ts';
import { Attendance } from './attendance.ts';
import { Bell } from './bell.ts';
import { Cleaner } from './cleaner.ts';
import { dropUnknown } from './drop-unknown.ts';
import { Exchanger } from './exchanger.ts';
import { Executions } from './executions.ts';
import { makeClaim } from './make-claim.ts';
import type { Room } from './slots.ts';

/** While one is on its way, a second exchange of little waits so long for more, in ms. */
const GATHER_MS = 1;

/** The lanes of a claim that got nothing, and when the next run of them is due. */
interface Lull {
  readonly lanes: readonly string[];
  readonly dueMs: number;
}

/**
 * The engine of a worker: claims, runs and settles until it is to stop. Up to two exchanges are on their way
 * at a time, so that worker and broker work side by side when there is much to do.
 */
export class Engine {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #exchanger: Exchanger;
  readonly #executions: Executions;
  readonly #settler: Settler;
  readonly #cleaner: Cleaner;
  readonly #attendance: Attendance;
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
    this.#exchanger = new Exchanger(settings, (error, doing) => this.#onError(error, doing));
    this.#settler = new Settler(settings, emitter, this.#exchanger);
    this.#executions = this.#createExecutions();
    this.#cleaner = this.#createCleaner();
    this.#attendance = new Attendance(settings, emitter);
  }

  /** Whether nothing runs and everything is settled. */
  get isIdle(): boolean {
    return this.#executions.isEmpty && this.#exchanger.isDone;
  }

  /** Whether any claimed run has not ended yet. */
  get hasRuns(): boolean {
    return !this.#executions.isEmpty;
  }

  /** Works until it is stopped; resolves when nothing runs any more and everything is settled. */
  async work(): Promise<void> {
    this.#executions.open();
    void this.#attendance.begin().catch(this.#onAttendError);
    while (!(this.#isStopping && this.isIdle && this.#onTheirWay === 0)) {
      this.#executions.openIsolation({ isQuiet: this.#exchanger.isDone && this.#onTheirWay === 0 });
      const room = this.#exchanger.open(this.#executions.room());
      if (this.#isTimeFor(room)) void this.#exchange(room);
      else await this.#bell.during((signal) => this.#wait(room, signal));
      // Runs that end in the same turn are settled in the same exchange.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    this.#executions.close();
    await this.#attendance.end().catch(this.#onAttendError);
  }

  /** Extends the leases of what runs; cancels and abandons what it is to. */
  heartbeat(): Promise<void> {
    return this.#executions.heartbeat();
  }

  /** Settles runs of known tasks whose worker fell silent. */
  clean(): Promise<void> {
    return this.#cleaner.clean();
  }

  /** Says that the worker is alive, and reports lanes that no worker works on. */
  attend(): Promise<void> {
    return this.#attendance.renew();
  }

  /** Ends runs of lanes that the worker does not know. */
  dropUnknown(): Promise<void> {
    return dropUnknown(this.#settings, {
      now: () => this.#exchanger.now(),
      send: (settlement) => {
        const written = this.#settler.send(settlement);
        this.#wake();
        return written;
      },
      onDropped: ({ id, lane }) => this.#emitter.emit('dropped', () => ({ id, lane })),
      onError: (error) => this.#onError(error, 'dropping'),
      isStopping: () => this.#isStopping,
    });
  }

  /** Claims no more; each running run finishes, stalls or is given back, as its task says. */
  stop(): void {
    this.#isStopping = true;
    this.#cleaner.stop();
    this.#exchanger.stop();
    this.#executions.stop();
    this.#wake();
  }

  /** Gives back whatever still runs, and resends nothing that fails. */
  stopNow(): void {
    this.#isStopping = true;
    this.#cleaner.stop();
    this.#exchanger.giveUp();
    this.#executions.stopNow();
    this.#executions.close();
    this.#wake();
  }

  #createExecutions(): Executions {
    return new Executions(this.#settings, this.#emitter, {
      now: () => this.#exchanger.now(),
      onChange: () => this.#wake(),
      onEnd: ({ task, run, durationMs }, outcome) => {
        if (outcome !== undefined)
          this.#settler.settle({ task, run, outcome, durationMs, onlyIfExpired: false });
        this.#wake();
      },
    });
  }

  #createCleaner(): Cleaner {
    return new Cleaner(this.#settings, {
      own: () => [...this.#executions.claims(), ...this.#exchanger.settling()],
      settle: (silent, outcome) =>
        new Promise((resolve) => {
          const end = { ...silent, outcome, durationMs: 0, onlyIfExpired: true };
          const onAnswer = (answer: string): void => resolve(answer === 'refused' ? 'refused' : 'answered');
          this.#settler.settle({ ...end, onAnswer });
          this.#wake();
        }),
    });
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
    const sentAt = this.#settings.clock.now();
    const received = await this.#exchanger.exchange(claim);
    this.#onTheirWay -= 1;
    free?.();
    if (received !== undefined && claim !== undefined) {
      const { claimed, lanes, nextRunAt = Infinity, now } = received;
      this.#isPlenty = claimed.length >= claim.limit;
      if (claimed.length === 0) this.#lull = { lanes, dueMs: nextRunAt - now };
      if (lanes.length === claim.lanes.size) this.#executions.noteLook({ claim, sentAt, claimed });
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

  /** Waits for a ring, for a rate limit or a refused lane to open, or for a poll. */
  #rest(signal: AbortSignal): Promise<void> {
    return sleep(this.#settings.clock, this.#restMs(), signal);
  }

  #restMs(): number {
    const { pollMs } = this.#settings;
    return Math.min(pollMs, this.#executions.opensIn(), this.#exchanger.opensIn());
  }

  /** There may be room or settlements that there were not before. */
  #wake(): void {
    this.#lull = undefined;
    this.#bell.ring();
  }

  #onError(error: unknown, doing: string): void {
    this.#emitter.emit('error', () => ({ error, doing }));
  }

  readonly #onAttendError = (error: unknown): void => {
    // With the broker closed there is nothing to take back.
    if (!(this.#isStopping && isRetryError(error, 'BROKER_CLOSED'))) this.#onError(error, 'attending');
  };
}
