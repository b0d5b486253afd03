import type { Run } from '@retry/core/broker';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import { within } from '../broker.ts';
import { LeaseLostError } from '../errors.ts';
import type { WorkerSettings } from '../options.ts';
import { settleOutcome } from '../settle/settle-outcome.ts';
import { attemptOf } from '../settle/settlement.ts';
import { sleep } from '../sleep.ts';
import { writeResult } from '../task/payload.ts';
import type { AnyTask, Completion, HandlerHold, TaskContext } from '../task/task.ts';
import { ReleaseRequested, RetryRequested, readReleaseRequest, readRetryRequest } from './requests.ts';

/** What a handler and its context need of their execution. */
export interface RunningAttempt {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
  /** Whether it has ended, or ends as soon as its handler returns: the outcome of that hardly matters. */
  readonly isStopped: boolean;
  /** Whether its handler has called `ctx.complete`, other than with what was refused before it reached the transaction. */
  readonly isCompleting: boolean;
  /** Whether its lease may end before the next heartbeat. */
  readonly isLeaseShort: boolean;
  /** Renews its lease. @returns whether its handler may be called */
  readonly renewLease: () => Promise<boolean>;
  readonly signal: AbortSignal;
  readonly remainingMs: number;
  readonly heartbeat: () => void;
  /** What `ctx.retry` or `ctx.release` has thrown last, also for a wrong argument; absent until then. */
  requested?: { readonly thrown: unknown } | undefined;
  readonly complete: (completion: Completion) => Promise<void>;
  /** Puts the lane of its task on hold. */
  readonly hold: (request: HandlerHold) => Promise<void>;
  /** Whether the transaction has been committed in which the handler completed the run. */
  readonly hasCommitted: () => Promise<boolean>;
  /** Corrects what the attempt counts as against the limit of all workers. Never throws. */
  readonly spend: (actual: number) => void;
  readonly log: (message: string, details: unknown) => void;
}

/** The context of a handler. Its members are getters, because most handlers read few of them; they may be destructured. */
export class HandlerContext implements TaskContext {
  readonly #attempt: RunningAttempt;

  constructor(attempt: RunningAttempt) {
    this.#attempt = attempt;
  }

  get id(): string {
    return this.#attempt.run.id;
  }

  get attempt(): number {
    return attemptOf(this.#attempt.run);
  }

  get maxAttempts(): number {
    return allowedAttempts(settingsOf(this.#attempt.task.retry));
  }

  get epoch(): number {
    return this.#attempt.run.epoch;
  }

  get context(): string | undefined {
    return this.#attempt.run.context;
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  get remainingMs(): number {
    return this.#attempt.remainingMs;
  }

  get heartbeat(): TaskContext['heartbeat'] {
    return () => this.#attempt.heartbeat();
  }

  get retry(): TaskContext['retry'] {
    return (request = {}) => this.#request(() => new RetryRequested(readRetryRequest(request)));
  }

  get release(): TaskContext['release'] {
    return (request = {}) => this.#request(() => new ReleaseRequested(readReleaseRequest(request)));
  }

  get hold(): TaskContext['hold'] {
    return (request) => this.#attempt.hold(request);
  }

  get complete(): TaskContext['complete'] {
    return (completion) => this.#attempt.complete(completion);
  }

  get spend(): TaskContext['spend'] {
    return (actual) => this.#attempt.spend(actual);
  }

  get log(): TaskContext['log'] {
    return (message, details) => this.#attempt.log(message, details);
  }

  /** Throws what ends the handler, and notes it: a handler that catches it has asked all the same. */
  #request(read: () => RetryRequested | ReleaseRequested): never {
    const thrown = resultOrError(read);
    this.#attempt.requested = { thrown };
    throw thrown;
  }
}

function resultOrError(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

interface CompletionPort extends Pick<WorkerSettings, 'broker' | 'random'> {
  /** Now by the broker's clock, in epoch ms. */
  readonly now: () => number;
}

/**
 * Prepares the settlement of a run as completed inside a transaction of its handler; it takes effect when that commits.
 *
 * @returns sends it. Rejects with a `LeaseLostError` when another worker holds the run: the handler has to roll the transaction back
 * @throws {PayloadError} for a result that cannot be stored
 * @throws {InvalidOptionsError} for a transaction that the broker cannot join
 */
export function completeWithin(
  { broker, random, now }: CompletionPort,
  claim: { readonly task: AnyTask; readonly run: Run<'started'> },
  { tx, result }: Completion,
): () => Promise<void> {
  const outcome = { type: 'completed', result: writeResult(result, claim.task.maxResultBytes) } as const;
  const joined = within(broker, tx);
  const { settlement } = settleOutcome(claim.task, claim.run, outcome, { now: now(), random });
  return async () => {
    const { settled } = await joined.exchange({ settle: [settlement] });
    if (settled[0] !== 'ok' && settled[0] !== 'already') throw new LeaseLostError();
  };
}

/** How long to wait before asking a broker again that failed, in ms. */
const ASK_AGAIN_MS = 1_000;

interface CommitPort extends Pick<WorkerSettings, 'broker' | 'clock'> {
  readonly onError: (error: unknown) => void;
}

/**
 * Whether the transaction has been committed in which the handler completed this run. Asks until the broker answers, or until
 * the execution has ended for another reason: then the answer no longer matters.
 */
export async function hasCommitted(
  { broker, clock, onError }: CommitPort,
  execution: { readonly run: Run<'started'>; readonly hasEnded: boolean },
): Promise<boolean> {
  const { id, epoch } = execution.run;
  while (!execution.hasEnded) {
    try {
      const [run] = await broker.get([id]);
      // Only runs that have ended are ever forgotten.
      return run === undefined || (run.state === 'completed' && run.epoch === epoch);
    } catch (error) {
      onError(error);
      await sleep(clock, ASK_AGAIN_MS); // not until its signal aborts: that may have been long ago
    }
  }
  return false;
}
