import type { Run, SettleAnswer, Settlement } from '@retry/core/broker';
import type { CountedFailure } from '@retry/core/fields';
import { isEnd } from '@retry/core/lifecycle';
import { isCommitted } from '../broker.ts';
import type { Exchanger } from '../engine/exchanger.ts';
import type { QueuedSettlement, Sending } from '../engine/queued-settlement.ts';
import type { WorkerContext } from '../engine/worker-context.ts';
import type { AnyTask } from '../task/task.ts';
import { refusedEnds, withDeadLetter } from './dead-letter.ts';
import type { Outcome } from './outcome.ts';
import type { AttemptReport } from './report.ts';
import { reportCommitted, reportSettled } from './report.ts';
import { settleOutcome } from './settle-outcome.ts';
import type { Decided, SettleContext, Settled } from './settlement.ts';
import { withFirstCall } from './settlement.ts';
import { countedFailure } from './task-budget.ts';

/** An attempt that has ended. */
interface EndedAttempt {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
  readonly durationMs: number;
  /** The place of its run among all that the worker has claimed; absent for a claim of another worker. */
  readonly order?: number | undefined;
  /** Whether it was let through by a hold of the circuit breaker. */
  readonly isProbe?: boolean | undefined;
  /** Whether its handler has called `ctx.complete`, and may have committed that. */
  readonly isCompleting?: boolean | undefined;
  /** Whether its handler was called; absent for a claim of another worker. */
  readonly wasCalled?: boolean | undefined;
  /** How long it waited in the worker for that; absent for a claim of another worker. */
  readonly waitedMs?: number | undefined;
}

/** The end of an attempt. */
interface AttemptEnd extends EndedAttempt {
  readonly outcome: Outcome;
  /** A cleaner settles it for a worker that stopped sending heartbeats. */
  readonly onlyIfExpired: boolean;
  /** What the budget of its task counts, if the attempt may have failed. */
  readonly budget?: CountedFailure | undefined;
  /** Called when the settlement was answered, or refused for good. */
  readonly onAnswer?: (answer: SettleAnswer | 'refused') => void;
}

/** The settlement of an attempt. A class with few fields, because there is one for every run, and closures are larger. */
class AttemptSettlement implements QueuedSettlement {
  readonly settlement: Settlement;
  readonly end: AttemptEnd;
  readonly decided: Decided;
  readonly #settler: Settler;

  constructor(end: AttemptEnd, decided: Decided, settler: Settler) {
    const { settlement } = decided.settled;
    this.settlement = end.onlyIfExpired ? { ...settlement, onlyIfExpired: true } : settlement;
    this.end = end;
    this.decided = decided;
    this.#settler = settler;
  }

  get order(): number | undefined {
    return this.end.order;
  }

  onAnswer(answer: SettleAnswer | 'refused', sent: Sending): void {
    this.#settler.report(this.end, this.decided, [answer, sent]);
  }

  replacements(error: unknown): readonly QueuedSettlement[] {
    return this.#settler.replacementsOf(this, error);
  }
}

const UNREADABLE_ERROR = 'the attempt failed with an error that cannot be read';

/** Turns ends of attempts into settlements, and reports how they were answered. */
export class Settler {
  readonly #worker: WorkerContext;
  readonly #exchanger: Exchanger;

  constructor(worker: WorkerContext, exchanger: Exchanger) {
    this.#worker = worker;
    this.#exchanger = exchanger;
  }

  /** Returns the settlement of an attempt of this worker. Never throws, whatever a handler threw. */
  settlementOf(attempt: EndedAttempt, outcome: Outcome): AttemptSettlement {
    const { task, run, durationMs, order, isProbe, isCompleting, wasCalled, waitedMs } = attempt;
    // In one piece, because every run comes here: a spread costs half a microsecond.
    const end: AttemptEnd = {
      task,
      run,
      durationMs,
      order,
      isProbe,
      isCompleting,
      wasCalled,
      waitedMs,
      outcome,
      onlyIfExpired: false,
      budget: task.budget && countedFailure(task, isProbe, outcome),
    };
    return new AttemptSettlement(end, this.#decide(end), this);
  }

  /** Settles an attempt of another worker, if its lease is still expired. @returns whether the broker accepts any settlement of it */
  settleExpired(
    attempt: Pick<EndedAttempt, 'task' | 'run'>,
    outcome: Outcome,
  ): Promise<'answered' | 'refused'> {
    return new Promise((resolve) => {
      const { task, run } = attempt;
      const onAnswer = (answer: string): void => resolve(answer === 'refused' ? 'refused' : 'answered');
      const end: AttemptEnd = { task, run, outcome, durationMs: 0, onlyIfExpired: true, onAnswer };
      this.#exchanger.push(new AttemptSettlement(end, this.#decide(end), this));
      this.#worker.wake();
    });
  }

  /** Sends a settlement that belongs to no handler's attempt. @returns whether it was written */
  send(settlement: Settlement): Promise<boolean> {
    return new Promise((resolve) => {
      this.#exchanger.push({
        settlement,
        onAnswer: (answer, sent) => resolve(answer === 'ok' || (answer === 'already' && sent === 'again')),
      });
      this.#worker.wake();
    });
  }

  /**
   * What is tried instead of a settlement that the broker refuses: where it submits a dead letter, the same with a submission that
   * carries no payload, and without one, because what it refuses may be the submission; then dead letters with the broker's error.
   */
  replacementsOf(
    { end, settlement, decided }: AttemptSettlement,
    error: unknown,
  ): readonly QueuedSettlement[] {
    const outcome: Outcome = { type: 'failed', error, isTimeout: false };
    const ends = refusedEnds({ ...end, error, ...this.#context(end) }).map((replacement) =>
      this.#replacement(end, { outcome, settled: { settlement: replacement, reason: 'refused' } }),
    );
    const { submit, ...alone } = settlement;
    if (submit === undefined) return ends;
    const own = (replacement: Settlement, onWritten?: () => void): QueuedSettlement =>
      this.#replacement(
        end,
        { ...decided, settled: { ...decided.settled, settlement: replacement } },
        onWritten,
      );
    const report = (): void => {
      const doing = `submitting the dead letter of run ${settlement.id} to the lane ${submit.lane}`;
      this.#worker.emitError(error, doing);
    };
    return [own(withDeadLetter(end.task, alone, 'refused')), own(alone, report), ...ends];
  }

  #replacement(end: AttemptEnd, decided: Decided, onWritten: () => void = () => {}): QueuedSettlement {
    return {
      settlement: decided.settled.settlement,
      onAnswer: (answer, sent) => {
        if (answer === 'ok') onWritten();
        this.report(end, decided, [answer, sent]);
      },
    };
  }

  #context(end: AttemptEnd): SettleContext {
    const { durationMs, isProbe, wasCalled, waitedMs, onlyIfExpired, budget } = end;
    const { random, redact, name } = this.#worker.settings;
    // A cleaner knows neither the other worker nor how long its attempt took.
    const attemptMs = onlyIfExpired ? undefined : durationMs;
    const worker = onlyIfExpired ? undefined : name;
    // In one piece: a spread with further keys costs every run half a microsecond.
    return {
      now: this.#worker.now(),
      random,
      redact,
      attemptMs,
      worker,
      isProbe,
      wasCalled,
      waitedMs,
      budget,
    };
  }

  #decide(end: AttemptEnd): Decided {
    const { outcome } = end;
    try {
      const settled = this.#settledBy(end, outcome);
      if ('thrown' in settled) this.#reportUndecided(end.run, settled.thrown);
      return { settled, outcome };
    } catch (error) {
      this.#reportUndecided(end.run, error);
      return this.#decideUnreadable(end);
    }
  }

  /** The thrown value cannot be read. */
  #decideUnreadable(end: AttemptEnd): Decided {
    const outcome = { type: 'failed', error: new Error(UNREADABLE_ERROR), isTimeout: false } as const;
    try {
      return { settled: this.#settledBy(end, outcome), outcome };
    } catch (error) {
      this.#reportUndecided(end.run, error);
      const [settlement] = refusedEnds({ ...end, error: outcome.error, ...this.#context(end) });
      return { settled: { settlement, reason: 'unexpected' }, outcome };
    }
  }

  #settledBy(end: AttemptEnd, outcome: Outcome): Settled {
    return withFirstCall(settleOutcome(end.task, end.run, outcome, this.#context(end)), end);
  }

  #reportUndecided({ id }: Run, error: unknown): void {
    this.#worker.emitError(error, `settling run ${id}`);
  }

  /** Reports an attempt whose settlement was answered. */
  report(
    { task, run, durationMs, isCompleting, onlyIfExpired, onAnswer }: AttemptEnd,
    { settled, outcome }: Decided,
    [answer, sent]: readonly [SettleAnswer | 'refused', Sending],
  ): void {
    const report: AttemptReport = { task, run, outcome, settled, durationMs };
    const isOwnCommit = outcome.type === 'completed' && outcome.isCommitted === true;
    if (isOwnCommit || (answer === 'ok' && isEnd(settled.settlement.next.state)))
      this.#worker.report.flow.noteEnd(run.lane);
    // Several cleaners may find the same expired lease; the one whose settlement was accepted reports it.
    if (onlyIfExpired && answer === 'already' && sent === 'again') void this.#reportIfOwn(report);
    else if (isCompleting && !isOwnCommit && (answer === 'fenced' || answer === 'gone'))
      void this.#reportCommit(report, answer);
    else if (answer !== 'refused' && (answer === 'ok' || !onlyIfExpired))
      reportSettled(this.#worker.emitter, report, answer);
    onAnswer?.(answer);
  }

  /**
   * Reports an attempt that was stopped, and whose outcome was not accepted: its handler may have committed another one meanwhile. Never
   * rejects. The worker does not stop before that.
   */
  async #reportCommit(report: AttemptReport, answer: 'fenced' | 'gone'): Promise<void> {
    const { state, settings, emitter } = this.#worker;
    const { run } = report;
    let hasCommitted = false;
    state.unanswered += 1;
    try {
      hasCommitted = await isCommitted(settings.broker, run);
    } catch (error) {
      this.#worker.emitError(error, 'asking for a commit');
    }
    if (hasCommitted) this.#worker.report.flow.noteEnd(run.lane);
    if (hasCommitted) reportCommitted(emitter, report);
    else reportSettled(emitter, report, answer);
    state.unanswered -= 1;
    this.#worker.wake();
  }

  /**
   * Reports a stall whose settlement was sent again, and had been written: by an earlier sending of this worker, or by that of another
   * cleaner, which recorded it at another instant.
   */
  async #reportIfOwn(report: AttemptReport): Promise<void> {
    const { id, epoch, next } = report.settled.settlement;
    try {
      const [kept] = await this.#worker.settings.broker.get([id]);
      const at = next.errors.at(-1)?.at;
      const isOwn = kept?.errors.some((error) => error.epoch === epoch && error.at === at) === true;
      if (isOwn) reportSettled(this.#worker.emitter, report, 'already');
    } catch (error) {
      this.#worker.emitError(error, `settling run ${id}`);
    }
  }
}
