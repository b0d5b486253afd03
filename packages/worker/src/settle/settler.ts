import type { Run, SettleAnswer, Settlement } from '@retry/core/broker';
import { isEnd } from '@retry/core/lifecycle';
import type { WorkerEmitter } from '../events.ts';
import type { WorkerSettings } from '../options.ts';
import type { AnyTask } from '../task/task.ts';
import { withDeadLetter } from './dead-letter.ts';
import type { Outcome } from './outcome.ts';
import { refusedEnds } from './refused-ends.ts';
import type { Report } from './report.ts';
import { reportSettled } from './report.ts';
import type { Sample, SampledAttempt } from './sample.ts';
import { sampleOf } from './sample.ts';
import { settleOutcome } from './settle-outcome.ts';
import type { SettleContext, Settled } from './settlement.ts';
import { withFirstCall } from './settlement.ts';

/** How often a settlement was sent: the answer to one that was sent again may be about an earlier sending. */
export type Times = 'once' | 'again';

/** A settlement on its way to the broker. */
export interface QueuedSettlement {
  readonly settlement: Settlement;
  /** Its place among all runs that the worker has claimed; absent for a claim of another worker. */
  readonly order?: number | undefined;
  /**
   * Called once, unless the worker gives up. `refused`: the broker accepts neither the settlement nor any of its
   * replacements.
   */
  readonly onAnswer: (answer: SettleAnswer | 'refused', sent: Times) => void;
  /** The settlements to send when the broker refuses this one for good, in this order until one is accepted. */
  readonly replacements?: (error: unknown) => readonly QueuedSettlement[];
}

/** Carries settlements to the broker. */
export interface SettlementQueue {
  /** Queues a settlement for the next exchange. */
  readonly push: (settlement: QueuedSettlement) => void;
  /** Sends one alone, whose run may be locked by the transaction of its handler. */
  readonly pushAlone: (settlement: QueuedSettlement) => void;
  /** Now by the broker's clock, in epoch ms. */
  readonly now: () => number;
}

/** The end of an attempt. */
export interface AttemptEnd {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** When its claim was answered, by the worker's clock; absent for a claim of another worker. */
  readonly claimedAt?: number | undefined;
  /** Its place among all runs that the worker has claimed; absent for a claim of another worker. */
  readonly order?: number | undefined;
  /** It was let through by a hold of the circuit breaker. */
  readonly isProbe?: boolean | undefined;
  /** Its handler was called; absent for a claim of another worker. */
  readonly hasStarted?: boolean | undefined;
  /** How long it waited in the worker for that; absent for a claim of another worker. */
  readonly waitedMs?: number | undefined;
  /** Its handler has completed it in a transaction, which may be open. */
  readonly isCompleting?: boolean | undefined;
  /** A cleaner settles it for a worker that stopped sending heartbeats. */
  readonly onlyIfExpired: boolean;
  /** Called when the settlement was answered, or refused for good. */
  readonly onAnswer?: (answer: SettleAnswer | 'refused') => void;
}

/** Returns the end of an attempt of this worker. */
export function endOf(
  execution: Omit<AttemptEnd, 'outcome' | 'onlyIfExpired'>,
  outcome: Outcome,
): AttemptEnd {
  const { task, run, durationMs, claimedAt, order, isProbe, hasStarted, waitedMs, isCompleting } = execution;
  return {
    task,
    run,
    outcome,
    durationMs,
    claimedAt,
    order,
    isProbe,
    hasStarted,
    waitedMs,
    isCompleting,
    onlyIfExpired: false,
  };
}

interface Decided {
  readonly settled: Settled;
  readonly outcome: Outcome;
}

/** What happens to settlements of attempts; one object for all of them. */
interface AttemptHooks {
  readonly onAnswer: (settled: AttemptSettlement, answer: SettleAnswer | 'refused', sent: Times) => void;
  readonly replacementsOf: (refused: AttemptSettlement, error: unknown) => readonly QueuedSettlement[];
}

/** The settlement of an attempt. A class with few fields, because there is one for every run, and closures are larger. */
class AttemptSettlement implements QueuedSettlement {
  readonly settlement: Settlement;
  readonly end: AttemptEnd;
  readonly decided: Decided;
  readonly #hooks: AttemptHooks;

  constructor(end: AttemptEnd, decided: Decided, hooks: AttemptHooks) {
    const { settlement } = decided.settled;
    this.settlement = end.onlyIfExpired ? { ...settlement, onlyIfExpired: true } : settlement;
    this.end = end;
    this.decided = decided;
    this.#hooks = hooks;
  }

  get order(): number | undefined {
    return this.end.order;
  }

  onAnswer(answer: SettleAnswer | 'refused', sent: Times): void {
    this.#hooks.onAnswer(this, answer, sent);
  }

  replacements(error: unknown): readonly QueuedSettlement[] {
    return this.#hooks.replacementsOf(this, error);
  }
}

const UNREADABLE_ERROR = 'the attempt failed with an error that cannot be read';

/** What settling works with. */
export interface SettlerPort {
  readonly emitter: WorkerEmitter;
  readonly queue: SettlementQueue;
  /** What attempts say about the dependencies of their tasks. */
  readonly breakers: { readonly note: (attempt: SampledAttempt, sample: Sample) => void };
  /** Counts the runs that it ended. */
  readonly flow: { readonly noteEnd: (lane: string) => void };
}

/** Turns ends of attempts into settlements, queues them and reports how they were answered. */
export class Settler {
  readonly #settings: WorkerSettings;
  readonly #emitter: WorkerEmitter;
  readonly #queue: SettlementQueue;
  readonly #breakers: SettlerPort['breakers'];
  readonly #flow: SettlerPort['flow'];
  readonly #hooks: AttemptHooks = {
    onAnswer: ({ end, decided }, answer, sent) => this.#onAnswer(end, decided, [answer, sent]),
    replacementsOf: (refused, error) => this.#replacementsOf(refused, error),
  };

  constructor(settings: WorkerSettings, { emitter, queue, breakers, flow }: SettlerPort) {
    this.#settings = settings;
    this.#emitter = emitter;
    this.#queue = queue;
    this.#breakers = breakers;
    this.#flow = flow;
  }

  /** Settles the end of an attempt with the next exchange. Never throws, whatever a handler threw. */
  settle(end: AttemptEnd): void {
    const decided = this.#decide(end);
    if (end.task.circuitBreaker !== undefined || end.isProbe === true) this.#sample(end, decided);
    const settlement = new AttemptSettlement(end, decided, this.#hooks);
    if (end.isCompleting === true && end.outcome.type !== 'completed') this.#queue.pushAlone(settlement);
    else this.#queue.push(settlement);
  }

  #sample({ task, claimedAt, isProbe = false }: AttemptEnd, { settled, outcome }: Decided): void {
    const sample = sampleOf(outcome, settled);
    if (sample === undefined || claimedAt === undefined) return;
    this.#breakers.note({ task, outcome, claimedAt, isProbe }, sample);
  }

  /** Sends a settlement that belongs to no handler's attempt. @returns whether it was written */
  send(settlement: Settlement): Promise<boolean> {
    return new Promise((resolve) => {
      this.#queue.push({
        settlement,
        onAnswer: (answer, sent) => resolve(answer === 'ok' || (answer === 'already' && sent === 'again')),
      });
    });
  }

  /**
   * What is tried instead of a settlement that the broker refuses: where it submits a dead letter, the same with a submission that
   * carries no payload, and without one, because what it refuses may be the submission; then dead letters with the broker's error.
   */
  #replacementsOf(
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
      this.#emitter.emit('error', () => ({ error, doing }));
    };
    return [own(withDeadLetter(end.task, alone, 'refused')), own(alone, report), ...ends];
  }

  #replacement(end: AttemptEnd, decided: Decided, onWritten: () => void = () => {}): QueuedSettlement {
    return {
      settlement: decided.settled.settlement,
      onAnswer: (answer, sent) => {
        if (answer === 'ok') onWritten();
        this.#onAnswer(end, decided, [answer, sent]);
      },
    };
  }

  #context({ durationMs, isProbe, hasStarted, waitedMs, onlyIfExpired }: AttemptEnd): SettleContext {
    const { random, redact, name } = this.#settings;
    // A cleaner knows neither the other worker nor how long its attempt took.
    const attemptMs = onlyIfExpired ? undefined : durationMs;
    const worker = onlyIfExpired ? undefined : name;
    // In one piece: a spread with further keys costs every run half a microsecond.
    return { now: this.#queue.now(), random, redact, attemptMs, worker, isProbe, hasStarted, waitedMs };
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
    this.#emitter.emit('error', () => ({ error, doing: `settling run ${id}` }));
  }

  #onAnswer(
    { task, run, durationMs, onlyIfExpired, onAnswer }: AttemptEnd,
    { settled, outcome }: Decided,
    [answer, sent]: readonly [SettleAnswer | 'refused', Times],
  ): void {
    const report: Report = { task, run, outcome, settled, durationMs };
    if (answer === 'ok' && isEnd(settled.settlement.next.state)) this.#flow.noteEnd(run.lane);
    // Several cleaners may find the same expired lease; the one whose settlement was accepted reports it.
    if (onlyIfExpired && answer === 'already' && sent === 'again') void this.#reportIfOwn(report);
    else if (answer !== 'refused' && (answer === 'ok' || !onlyIfExpired))
      reportSettled(this.#emitter, report, answer);
    onAnswer?.(answer);
  }

  /**
   * Reports a stall whose settlement was sent again, and had been written: by an earlier sending of this worker, or by that of another
   * cleaner, which recorded it at another instant.
   */
  async #reportIfOwn(report: Report): Promise<void> {
    const { id, epoch, next } = report.settled.settlement;
    try {
      const [kept] = await this.#settings.broker.get([id]);
      const at = next.errors.at(-1)?.at;
      const isOwn = kept?.errors.some((error) => error.epoch === epoch && error.at === at) === true;
      if (isOwn) reportSettled(this.#emitter, report, 'already');
    } catch (error) {
      this.#emitter.emit('error', () => ({ error, doing: `settling run ${id}` }));
    }
  }
}
