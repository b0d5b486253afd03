import type { Beat, BeatAnswer, ClaimedRun } from '@retry/core/broker';
import { CancelledError, LeaseLostError, ShutdownError, StalledError } from '../errors.ts';
import type { WorkerEmitter } from '../events.ts';
import { isRefused } from '../is-refused.ts';
import { CancelWatch } from '../run/cancel-watch.ts';
import { completeWithin, hasCommitted } from '../run/complete.ts';
import type { ExecutionPort } from '../run/execution.ts';
import { Execution } from '../run/execution.ts';
import type { Outcome } from '../settle/outcome.ts';
import { noticeOf } from '../settle/report.ts';
import { earlyMs } from '../settle/settle-outcome.ts';
import type { WorkerSettings } from '../worker-options.ts';
import { groupToIsolate, Isolation, MAX_LEASES_ALONE } from './isolation.ts';
import type { Look } from './lateness.ts';
import { Lateness } from './lateness.ts';
import { Pace } from './prefetch.ts';
import type { Room } from './slots.ts';
import { Slots } from './slots.ts';

/** What an execution that its worker gave up ends with. */
const RELEASED: Outcome = { type: 'released' };

/** The most leases that one call extends. */
const MAX_LEASES = 1_000;

/** What the claimed runs of a worker need of it. */
interface Surroundings {
  /** The clock of the broker, in epoch ms. */
  readonly now: () => number;
  /** Called once for each claimed run, with `undefined` when nobody would hear its outcome. */
  readonly onEnd: (execution: Execution, outcome: Outcome | undefined) => void;
  /** Called when something may have to start or be claimed, though no run has ended. */
  readonly onChange: () => void;
}

/** The claimed runs of a worker: those that go on and those that wait for a slot. */
export class Executions {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #surroundings: Surroundings;
  readonly #port: ExecutionPort;
  readonly #pace: Pace;
  readonly #slots: Slots;
  readonly #cancelWatch: CancelWatch;
  readonly #all = new Set<Execution>();
  /** Waiting for a slot, in the order of their claims; those that have ended meanwhile are passed over. */
  #held: Execution[] = [];
  /** Runs that may end the process, which run alone; until that is over nothing else is claimed. */
  #isolation: Isolation | undefined;
  readonly #lateness: Lateness;
  /** It has not looked for room yet: what is due by now found no worker. */
  #isNew = true;
  /** Until then nothing is isolated, as the latest isolation took too long. */
  #usualUntil = -Infinity;
  #isStopping = false;

  constructor(settings: WorkerSettings, emitter: WorkerEmitter, surroundings: Surroundings) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#surroundings = surroundings;
    const { now } = surroundings;
    const onError = (error: unknown): void =>
      emitter.emit('error', () => ({ error, doing: 'asking for a commit' }));
    this.#port = {
      clock: settings.clock,
      log: ({ task, run }, message, details) =>
        emitter.emit('log', () => ({ ...noticeOf(task, run), message, details })),
      complete: (execution, completion) => completeWithin({ ...settings, now }, execution, completion),
      hasCommitted: (execution) => hasCommitted({ ...settings, onError }, execution),
      onEnd: (execution, outcome) => this.#end(execution, outcome),
    };
    this.#lateness = new Lateness(settings);
    this.#pace = new Pace(settings);
    const { concurrency } = settings;
    this.#slots = new Slots(settings.tasks.values(), { concurrency, ahead: () => this.#pace.ahead() });
    this.#cancelWatch = new CancelWatch({
      broker: settings.broker,
      clock: settings.clock,
      executions: () => [...this.#all],
      onCancel: (execution) => cancel(execution),
      onError: (error) => this.#onError(error, 'asking for cancel requests'),
    });
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Begins to listen to cancel requests. */
  open(): void {
    this.#cancelWatch.open();
  }

  /** Leaves neither listener nor timer behind. */
  close(): void {
    this.#cancelWatch.close();
  }

  /** The claims that this worker holds. */
  claims(): readonly Beat[] {
    return [...this.#all].map(({ run: { id, epoch } }) => ({ id, epoch }));
  }

  /** How much may be claimed now; `undefined` when there is no room, or no more is to be claimed. */
  room(): Room | undefined {
    if (this.#isStopping) return undefined;
    const now = this.#settings.clock.now();
    const room = this.#isolation === undefined ? this.#slots.room(now) : undefined;
    this.#noteShutLanes(room, now);
    return room;
  }

  /** Remembers why a run that is claimed later may be late. */
  #noteShutLanes(room: Room | undefined, now: number): void {
    for (const task of this.#settings.tasks.values()) {
      if (room?.lanes.has(task.lane) === true && !this.#isNew) continue;
      const isLimited = this.#slots.isRateLimited(task, now);
      this.#lateness.noteShut(task.lane, isLimited ? 'rate-limit' : 'no-slot', now);
    }
    this.#isNew = false;
  }

  /** A claim was answered. */
  noteLook(look: Look): void {
    this.#lateness.noteLook(look);
  }

  /**
   * Starts the runs that have to run alone, once they do.
   *
   * @param isQuiet - what was given back is answered, and nothing is on its way
   */
  openIsolation({ isQuiet }: { readonly isQuiet: boolean }): void {
    const { clock, leaseMs } = this.#settings;
    const isolation = this.#isolation;
    if (isolation?.isOverdue === true) this.#usualUntil = clock.now() + MAX_LEASES_ALONE * leaseMs;
    if (isolation?.isOver === true) this.#isolation = undefined;
    if (!isQuiet || this.#isStopping || isolation?.mayOpen(this.#slots.running === 0) !== true) return;
    this.#held.push(...isolation.open());
    this.#fill();
  }

  /** Keeps room for what a claim may bring; gives a function that frees it. */
  reserve(room: Room): () => void {
    return this.#slots.reserve(room);
  }

  /** Milliseconds until a rate limit opens again. */
  opensIn(): number {
    return this.#slots.opensIn(this.#settings.clock.now());
  }

  /** Starts what was claimed, as far as there are slots. */
  take(claimed: readonly ClaimedRun[]): void {
    const taken: Execution[] = [];
    for (const { run, isOverLimit } of claimed) {
      const task = this.#settings.tasks.get(run.lane);
      if (task === undefined) continue;
      const execution = new Execution(task, run, this.#port);
      this.#all.add(execution);
      this.#slots.take(task, 'held');
      if (this.#isStopping) execution.interrupt(RELEASED, new ShutdownError());
      else if (isOverLimit) execution.interrupt({ type: 'limited' }, undefined);
      else if (task.minRequeueMs !== undefined && earlyMs(run) > 0)
        execution.interrupt({ type: 'early' }, undefined);
      else taken.push(execution);
    }
    this.#hold(taken);
    this.#fill();
  }

  /** Lets what was claimed wait for its slots; or, where some of it has to run alone, gives everything else back. */
  #hold(taken: readonly Execution[]): void {
    const { clock, leaseMs, concurrency, prefetch } = this.#settings;
    if (this.#isolation !== undefined) {
      giveBackAll(taken);
      return;
    }
    const isUsual = clock.now() < this.#usualUntil;
    const group = isUsual ? undefined : groupToIsolate(taken, concurrency + prefetch);
    if (group === undefined) {
      this.#held.push(...taken);
      return;
    }
    const { onChange } = this.#surroundings;
    this.#isolation = new Isolation(group, { clock, leaseMs, onDue: onChange });
    const others = [...this.#held, ...taken.filter((execution) => !group.includes(execution))];
    this.#held = [];
    giveBackAll(others);
  }

  /** Extends the leases of all; hears of cancellations and lost leases, and gives back what was held too long. */
  async heartbeat(): Promise<void> {
    const { heartbeatMs } = this.#settings;
    for (const execution of [...this.#held]) {
      if (execution.ageMs >= heartbeatMs && !execution.hasEnded) this.#giveBack(execution);
    }
    const executions = [...this.#all];
    for (let first = 0; first < executions.length; first += MAX_LEASES) {
      await this.#beat(executions.slice(first, first + MAX_LEASES));
    }
  }

  /** One trouble stops no other heartbeat: the next call is made all the same, and a refused one is divided. */
  async #beat(executions: readonly Execution[]): Promise<void> {
    const { broker, leaseMs } = this.#settings;
    const beats = executions.map(({ run: { id, epoch } }) => ({ id, epoch }));
    try {
      const answers = await broker.heartbeat(beats, leaseMs);
      for (const [index, execution] of executions.entries()) this.#hear(execution, answers[index]);
    } catch (error) {
      if (executions.length === 1 || !isRefused(broker, error)) return this.#onError(error, 'heartbeating');
      const middle = Math.ceil(executions.length / 2);
      await this.#beat(executions.slice(0, middle));
      await this.#beat(executions.slice(middle));
    }
  }

  /** Starts no more; each run finishes within its time, stalls or is given back, as its task says. */
  stop(): void {
    this.#isStopping = true;
    for (const execution of [...this.#all]) {
      const { onShutdown, shutdownMs = this.#settings.shutdownMs } = execution.task;
      if (!execution.hasStarted || onShutdown === 'release')
        execution.interrupt(RELEASED, new ShutdownError());
      else if (onShutdown === 'finish') execution.finishWithin(shutdownMs);
      else {
        const error = new StalledError('the worker stopped');
        execution.interrupt({ type: 'stalled', error }, new ShutdownError());
      }
    }
  }

  /** Gives back whatever still runs. */
  stopNow(): void {
    this.#isStopping = true;
    for (const execution of [...this.#all]) execution.interrupt(RELEASED, new ShutdownError());
  }

  #fill(): void {
    while (this.#slots.isFree && !this.#isStopping) {
      const execution = this.#held.shift();
      if (execution === undefined) return;
      if (!execution.hasEnded) this.#start(execution);
    }
  }

  #start(execution: Execution): void {
    const { task, run, ageMs } = execution;
    const now = this.#settings.clock.now();
    if (!this.#slots.start(task, now)) {
      execution.interrupt({ type: 'limited' }, undefined);
      return;
    }
    this.#slots.free(task, 'held');
    this.#slots.take(task, 'running');
    this.#emitter.emit('started', () =>
      Object.assign(noticeOf(task, run), this.#lateness.explain({ run, claimedAt: now - ageMs, now })),
    );
    execution.start();
    this.#cancelWatch.arm();
  }

  #end(execution: Execution, outcome: Outcome | undefined): void {
    this.#all.delete(execution);
    this.#slots.free(execution.task, execution.hasStarted ? 'running' : 'held');
    if (execution.hasStarted) this.#pace.note(execution.durationMs);
    this.#isolation?.leave(execution);
    if (this.#isolation?.isOver === true) this.#isolation = undefined;
    this.#surroundings.onEnd(execution, outcome);
    this.#fill();
  }

  /** Runs take longer than they did, and other workers may be free. */
  #giveBack(execution: Execution): void {
    this.#pace.note(execution.ageMs);
    execution.interrupt(RELEASED, undefined);
  }

  #hear(execution: Execution, answer: BeatAnswer | undefined): void {
    if (answer === 'cancel') cancel(execution);
    if (answer !== 'fenced' && answer !== 'gone') return;
    // It may have ended, and been settled, while the heartbeat was on its way.
    if (!execution.abandon(new LeaseLostError())) return;
    this.#emitter.emit('fenced', () => ({ ...noticeOf(execution.task, execution.run), answer }));
  }

  #onError(error: unknown, doing: string): void {
    this.#emitter.emit('error', () => ({ error, doing }));
  }
}

function cancel(execution: Execution): void {
  execution.interrupt({ type: 'cancelled' }, new CancelledError());
}

function giveBackAll(executions: readonly Execution[]): void {
  for (const execution of executions) execution.interrupt(RELEASED, undefined);
}
