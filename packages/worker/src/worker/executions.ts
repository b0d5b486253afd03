import type { Beat, BeatAnswer, ClaimedRun } from '@retry/core/broker';
import { CancelledError, LeaseLostError, ShutdownError, StalledError } from '../errors.ts';
import { completeWithin } from './complete-within.ts';
import type { WorkerEmitter } from './events.ts';
import type { ExecutionPort } from './execution.ts';
import { Execution } from './execution.ts';
import type { WorkerSettings } from './options.ts';
import type { Outcome } from './outcome.ts';
import { Pace } from './pace.ts';
import { latenessOf, noticeOf } from './reporter.ts';
import type { Room } from './slots.ts';
import { Slots } from './slots.ts';

/** What an execution that its worker gave up ends with. */
const RELEASED: Outcome = { type: 'released' };

/** What the claimed runs of a worker need of it. */
interface Surroundings {
  /** The clock of the broker, in epoch ms. */
  readonly now: () => number;
  /** Called once for each claimed run, with `undefined` when nobody would hear its outcome. */
  readonly onEnd: (execution: Execution, outcome: Outcome | undefined) => void;
}

/** The claimed runs of a worker: those that go on and those that wait for a slot. */
export class Executions {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #onEnd: Surroundings['onEnd'];
  readonly #port: ExecutionPort;
  readonly #pace: Pace;
  readonly #slots: Slots;
  readonly #all = new Set<Execution>();
  /** Waiting for a slot, in the order of their claims; those that have ended meanwhile are passed over. */
  #held: Execution[] = [];
  #isStopping = false;

  constructor(settings: WorkerSettings, emitter: WorkerEmitter, { now, onEnd }: Surroundings) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#onEnd = onEnd;
    this.#port = {
      clock: settings.clock,
      log: ({ task, run }, message, details) =>
        emitter.emit('log', () => ({ ...noticeOf(task, run), message, details })),
      complete: (execution, completion) => completeWithin({ ...settings, now }, execution, completion),
      onEnd: (execution, outcome) => this.#end(execution, outcome),
    };
    this.#pace = new Pace(settings);
    const { concurrency } = settings;
    this.#slots = new Slots(settings.tasks.values(), { concurrency, ahead: () => this.#pace.ahead() });
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Whether this worker holds the claim. */
  holds({ id, epoch }: Beat): boolean {
    for (const { run } of this.#all) if (run.id === id && run.epoch === epoch) return true;
    return false;
  }

  /** How much may be claimed now; `undefined` when there is no room, or no more is to be claimed. */
  room(): Room | undefined {
    return this.#isStopping ? undefined : this.#slots.room(this.#settings.clock.now());
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
    for (const { run, isOverLimit } of claimed) {
      const task = this.#settings.tasks.get(run.lane);
      if (task === undefined) continue;
      const execution = new Execution(task, run, this.#port);
      this.#all.add(execution);
      this.#slots.take(task, 'held');
      if (this.#isStopping) execution.interrupt(RELEASED, new ShutdownError());
      else if (isOverLimit) execution.interrupt({ type: 'limited' }, undefined);
      else this.#held.push(execution);
    }
    this.#fill();
  }

  /** Extends the leases of all; hears of cancellations and lost leases, and gives back what was held too long. */
  async heartbeat(): Promise<void> {
    const { broker, leaseMs, heartbeatMs } = this.#settings;
    for (const execution of [...this.#held]) {
      if (execution.ageMs >= heartbeatMs && !execution.hasEnded) this.#giveBack(execution);
    }
    const executions = [...this.#all];
    if (executions.length === 0) return;
    const beats = executions.map(({ run: { id, epoch } }) => ({ id, epoch }));
    const answers = await broker.heartbeat(beats, leaseMs);
    for (const [index, execution] of executions.entries()) this.#hear(execution, answers[index]);
  }

  /** Starts no more; each run goes on, stalls or is given back, as its task says. */
  stop(): void {
    this.#isStopping = true;
    for (const execution of [...this.#all]) {
      const { onShutdown } = execution.task;
      if (onShutdown === 'resubmit' || !execution.hasStarted)
        execution.interrupt(RELEASED, new ShutdownError());
      else if (onShutdown === 'stop') {
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
    if (!this.#slots.start(task, this.#settings.clock.now())) {
      execution.interrupt({ type: 'limited' }, undefined);
      return;
    }
    this.#slots.free(task, 'held');
    this.#slots.take(task, 'running');
    this.#emitter.emit('started', () =>
      Object.assign(noticeOf(task, run), { latenessMs: latenessOf(run) + ageMs }),
    );
    execution.start();
  }

  #end(execution: Execution, outcome: Outcome | undefined): void {
    this.#all.delete(execution);
    this.#slots.free(execution.task, execution.hasStarted ? 'running' : 'held');
    if (execution.hasStarted) this.#pace.note(execution.durationMs);
    this.#onEnd(execution, outcome);
    this.#fill();
  }

  /** Runs take longer than they did, and other workers may be free. */
  #giveBack(execution: Execution): void {
    this.#pace.note(execution.ageMs);
    execution.interrupt(RELEASED, undefined);
  }

  #hear(execution: Execution, answer: BeatAnswer | undefined): void {
    if (answer === 'cancel') execution.interrupt({ type: 'cancelled' }, new CancelledError());
    if (answer !== 'fenced' && answer !== 'gone') return;
    // It may have ended, and been settled, while the heartbeat was on its way.
    if (!execution.abandon(new LeaseLostError())) return;
    this.#emitter.emit('fenced', () => ({ ...noticeOf(execution.task, execution.run), answer }));
  }
}
