import type { Run, SettleAnswer, Settlement } from '@retry/core/broker';
import type { Parcel, Times } from '../engine/exchange-batch.ts';
import type { Exchanger } from '../engine/exchanger.ts';
import type { WorkerEmitter } from '../events.ts';
import type { AnyTask } from '../task/task.ts';
import type { WorkerSettings } from '../worker-options.ts';
import type { Outcome } from './outcome.ts';
import { refusedEnds } from './refused-ends.ts';
import { reportSettled } from './report.ts';
import type { SettleContext, Settled } from './settle-outcome.ts';
import { settleOutcome } from './settle-outcome.ts';

/** The end of an attempt. */
export interface AttemptEnd {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** A cleaner settles it for a worker that fell silent. */
  readonly onlyIfExpired: boolean;
  /** Called when the settlement was answered, or refused for good. */
  readonly onAnswer?: (answer: SettleAnswer | 'refused') => void;
}

/** Makes settlements of the ends of attempts, hands them to the exchanger and reports what became of them. */
export class Settler {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #exchanger: Exchanger;

  constructor(settings: WorkerSettings, emitter: WorkerEmitter, exchanger: Exchanger) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#exchanger = exchanger;
  }

  /** Settles the end of an attempt with the next exchange. Never throws, whatever a handler threw. */
  settle(end: AttemptEnd): void {
    const decided = this.#decide(end);
    const { settlement } = decided.settled;
    this.#exchanger.push({
      settlement: end.onlyIfExpired ? { ...settlement, onlyIfExpired: true } : settlement,
      onAnswer: (answer, sent) => this.#onAnswer(end, decided, [answer, sent]),
      instead: (error) => this.#insteadOf(end, error),
    });
  }

  /** Sends a settlement that no handler's attempt ends with; resolves with whether it was written. */
  send(settlement: Settlement): Promise<boolean> {
    return new Promise((resolve) => {
      this.#exchanger.push({
        settlement,
        onAnswer: (answer, sent) => resolve(answer === 'ok' || (answer === 'already' && sent === 'again')),
      });
    });
  }

  /** A dead letter with the broker's error: its attempt's own end is one that the broker cannot keep. */
  #insteadOf(end: AttemptEnd, error: unknown): readonly Parcel[] {
    const outcome: Outcome = { type: 'failed', error, isTimeout: false };
    const ends = refusedEnds({ ...end, error, ...this.#context() });
    return ends.map((settlement) => ({
      settlement,
      onAnswer: (answer, sent) =>
        this.#onAnswer(end, { outcome, settled: { settlement, reason: 'refused' } }, [answer, sent]),
    }));
  }

  #context(): SettleContext {
    const { random, redact } = this.#settings;
    return { now: this.#exchanger.now(), random, redact };
  }

  #decide(end: AttemptEnd): Decided {
    const { outcome } = end;
    try {
      return { settled: this.#settledBy(end, outcome), outcome };
    } catch (error) {
      this.#reportUndecided(end.run, error);
      return this.#decideUnreadable(end);
    }
  }

  /** What was thrown cannot be looked at, or a policy of the user's throws. */
  #decideUnreadable(end: AttemptEnd): Decided {
    const outcome = { type: 'failed', error: new Error(UNREADABLE), isTimeout: false } as const;
    try {
      return { settled: this.#settledBy(end, outcome), outcome };
    } catch (error) {
      this.#reportUndecided(end.run, error);
      const [settlement] = refusedEnds({ ...end, error: outcome.error, ...this.#context() });
      return { settled: { settlement, reason: 'unexpected' }, outcome };
    }
  }

  #settledBy({ task, run, durationMs, onlyIfExpired }: AttemptEnd, outcome: Outcome): Settled {
    // How long the attempt of a worker took that fell silent, its cleaner does not know.
    const attemptMs = onlyIfExpired ? undefined : durationMs;
    return settleOutcome(task, run, outcome, { ...this.#context(), attemptMs });
  }

  #reportUndecided({ id }: Run, error: unknown): void {
    this.#emitter.emit('error', () => ({ error, doing: `settling run ${id}` }));
  }

  #onAnswer(
    { task, run, durationMs, onlyIfExpired, onAnswer }: AttemptEnd,
    { settled, outcome }: Decided,
    [answer, sent]: readonly [SettleAnswer | 'refused', Times],
  ): void {
    // Two cleaners may see the same silence; the one that came first reports it.
    const isOthers = onlyIfExpired && answer === 'already' && sent === 'once';
    if (answer !== 'refused' && !isOthers)
      reportSettled(this.#emitter, { task, run, outcome, settled, durationMs }, answer);
    onAnswer?.(answer);
  }
}

interface Decided {
  readonly settled: Settled;
  readonly outcome: Outcome;
}

const UNREADABLE = 'the attempt failed with an error that cannot be read';
