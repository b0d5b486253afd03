import { holdLanes } from '@retry/core/broker/kit';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import { isCommitted, isUnsent, within } from '../broker.ts';
import type { StartReservations } from '../engine/lanes/start-reservations.ts';
import type { WorkerContext } from '../engine/worker-context.ts';
import { LeaseLostError, NotCommittedError } from '../errors.ts';
import { outside } from '../session/outside.ts';
import type { Outcome } from '../settle/outcome.ts';
import { noticeOf } from '../settle/report.ts';
import { settleOutcome } from '../settle/settle-outcome.ts';
import { attemptOf } from '../settle/settlement.ts';
import { sleep } from '../sleep.ts';
import { writeResult } from '../task/payload.ts';
import type { Completion, HandlerHold, TaskContext } from '../task/task-context.ts';
import type { Execution } from './execution.ts';
import {
  isSpent,
  NO_LIMIT,
  ReleaseRequested,
  RetryRequested,
  readCompletion,
  readHandlerHold,
  readReleaseRequest,
  readRetryRequest,
  wrongSpent,
} from './requests.ts';
import { giveBackLane } from './roster.ts';

/**
 * The context of a handler. Its members are getters, because most handlers read few of them; they may be destructured. What sets a timer
 * or starts other runs does so outside the stores of the handler.
 */
export class HandlerContext implements TaskContext {
  readonly #execution: Execution;
  readonly #worker: WorkerContext;
  readonly #reservations: StartReservations;

  constructor(execution: Execution, worker: WorkerContext, reservations: StartReservations) {
    this.#execution = execution;
    this.#worker = worker;
    this.#reservations = reservations;
  }

  get id(): string {
    return this.#execution.run.id;
  }

  get attempt(): number {
    return attemptOf(this.#execution.run);
  }

  get maxAttempts(): number {
    return allowedAttempts(settingsOf(this.#execution.task.retry));
  }

  get epoch(): number {
    return this.#execution.run.epoch;
  }

  get context(): string | undefined {
    return this.#execution.run.context;
  }

  get signal(): AbortSignal {
    return this.#execution.signal;
  }

  get remainingMs(): number {
    return this.#execution.remainingMs;
  }

  get heartbeat(): TaskContext['heartbeat'] {
    return () => outside(() => this.#execution.heartbeat());
  }

  get retry(): TaskContext['retry'] {
    return (request = {}) => this.#request(() => new RetryRequested(readRetryRequest(request)));
  }

  get release(): TaskContext['release'] {
    return (request = {}) => this.#request(() => new ReleaseRequested(readReleaseRequest(request)));
  }

  get hold(): TaskContext['hold'] {
    return (request) => this.#hold(request);
  }

  get complete(): TaskContext['complete'] {
    return (completion) => this.#complete(completion);
  }

  get spend(): TaskContext['spend'] {
    return (actual) => this.#spend(actual);
  }

  get log(): TaskContext['log'] {
    return (message, details) => {
      const { task, run } = this.#execution;
      this.#worker.emitter.emit('log', () => ({ ...noticeOf(task, run), message, details }));
    };
  }

  /** Throws what ends the handler, and notes it: a handler that catches it has asked all the same. */
  #request(read: () => RetryRequested | ReleaseRequested): never {
    const thrown = resultOrError(read);
    this.#execution.requested = { thrown };
    throw thrown;
  }

  /** Puts the lane of its task on hold; the handler keeps running. @throws {InvalidOptionsError} for a wrong argument */
  async #hold(request: HandlerHold): Promise<void> {
    const { forMs, reason } = readHandlerHold(request);
    if (forMs === 0) return; // over at once: nothing is to be given back for it
    const { settings, executions } = this.#worker;
    const { lane } = this.#execution.task;
    const why = reason === undefined ? {} : { reason };
    const hold = { lane, source: 'handler', forMs, keepLonger: true, by: settings.name, ...why } as const;
    await holdLanes(settings.broker, [hold]);
    outside(giveBackLane, executions, lane);
  }

  /** Corrects what the attempt counts as against the limit of all workers. Never throws: the cost has been paid, whatever is wrong. */
  #spend(actual: number): void {
    const problem = isSpent(actual) ? this.#spendProblem(Math.ceil(actual)) : wrongSpent(actual);
    if (problem !== undefined)
      this.#worker.emitError(problem, `correcting what run ${this.#execution.run.id} has cost`);
  }

  #spendProblem(actual: number): unknown {
    const hasSpent = outside(() => this.#reservations.spend(this.#execution, actual));
    return hasSpent ? undefined : wrongSpent(actual, NO_LIMIT);
  }

  /**
   * Settles the run as completed inside a transaction of its handler, which keeps running; it takes effect when that commits.
   *
   * @throws {LeaseLostError} when another worker holds the run: the handler has to roll the transaction back
   * @throws {PayloadError} for a result that cannot be stored
   * @throws {InvalidOptionsError} for a wrong argument, and for a transaction that the broker cannot join
   */
  async #complete(completion: Completion): Promise<void> {
    const execution = this.#execution;
    const { task, run } = execution;
    const { settings } = this.#worker;
    const { tx, result } = readCompletion(completion);
    const outcome = { type: 'completed', result: writeResult(result, task.maxResultBytes) } as const;
    const joined = within(settings.broker, tx);
    const { settlement } = settleOutcome(task, run, outcome, {
      now: this.#worker.now(),
      random: settings.random,
    });
    execution.completions += 1;
    try {
      const { settled } = await joined.exchange({ settle: [settlement] });
      if (settled[0] !== 'ok' && settled[0] !== 'already') throw new LeaseLostError();
    } catch (error) {
      if (isUnsent(error)) execution.completions -= 1;
      throw error;
    }
  }
}

function resultOrError(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

/** Returns the outcome of a handler that has called `ctx.complete`: only the commit counts. */
export async function outcomeOfCompletion(
  execution: Execution,
  worker: WorkerContext,
  outcome: Outcome,
): Promise<Outcome> {
  // A heartbeat may have found it out, or finds it out meanwhile.
  if (!execution.isCommitted && (await hasCommitted(execution, worker))) execution.isCommitted = true;
  // The transaction has stored the result; this settlement is answered `already`.
  if (execution.isCommitted) return { type: 'completed', result: 'null', isCommitted: true };
  // Unless the call was refused meanwhile.
  if (outcome.type !== 'completed' || !execution.isCompleting) return outcome;
  return { type: 'failed', error: new NotCommittedError(), isTimeout: false };
}

/** How long to wait before asking a broker again that failed, in ms. */
const ASK_AGAIN_MS = 1_000;

/**
 * Whether the transaction has been committed in which the handler completed this run. Asks until the broker answers, or until
 * the execution has ended for another reason: then the answer no longer matters.
 */
async function hasCommitted(execution: Execution, worker: WorkerContext): Promise<boolean> {
  const { broker, clock } = worker.settings;
  while (!execution.hasEnded) {
    try {
      return await isCommitted(broker, execution.run);
    } catch (error) {
      worker.emitError(error, 'asking for a commit');
      await sleep(clock, ASK_AGAIN_MS); // not until its signal aborts: that may have been long ago
    }
  }
  return false;
}
