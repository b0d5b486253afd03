import type { Duration } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import type { Run } from '@retry/core/broker';
import { textProblem } from '@retry/core/broker';
import type { Fields } from '@retry/core/fields';
import { A_SIGNAL, writtenIn } from '@retry/core/fields';
import { isEnd } from '@retry/core/lifecycle';
import type { Deadlines, Timed } from './deadlines.ts';
import { RunFailedError, RunForgottenError, WaitTimeoutError } from './errors.ts';
import type { ResultLooker, Target, Watcher } from './result-poller.ts';
import type { Submitted } from './submission.ts';

/** How long to wait for a result. */
export interface WaitForResultOptions {
  /** After it, the waiting rejects with a `WaitTimeoutError`; the run goes on. @default '30s' */
  readonly timeout?: Duration | undefined;
  /** Ends the waiting at once; it then rejects with `signal.reason`. The run goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** Waits for the result of a run: of what `submit` gave, whose type it has, or of any id. */
export type WaitForResult = <Result = unknown>(
  run: Submitted<Result> | string,
  options?: WaitForResultOptions,
) => Promise<Result>;

/** The options of a wait, checked. */
export interface WaitLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export const WAIT_KEYS = ['timeout', 'signal'] as const;
export const WAIT_DEFAULTS: WaitLimits = Object.freeze({ timeoutMs: 30_000, signal: undefined });

/** Reads the options of a wait; every wrong one is reported. */
export function readWaitLimits(fields: Fields): WaitLimits {
  return {
    timeoutMs: fields.duration('timeout', WAIT_DEFAULTS.timeoutMs),
    signal: fields.optional('signal', A_SIGNAL) as AbortSignal | undefined, // those of this runtime have a reason
  };
}

/** The id that stands for a run, by itself or in what `submit` gave. @throws {InvalidOptionsError} when it is none */
export function readRunId(run: unknown, subject: string): string {
  const { id = run } = writtenIn(run, ['id']) ?? {};
  return readId(id, subject);
}

/** An id that a broker can keep. @throws {InvalidOptionsError} when it is none */
export function readId(id: unknown, subject: string): string {
  const message = textProblem(id);
  if (message === undefined) return String(id);
  const cure = 'Give the id that submit gave: const { id } = await queue.submit(…).';
  throw new InvalidOptionsError([{ path: 'id', value: id, message, cure }], subject);
}

/** A run to wait for. */
export interface Awaited extends Target {
  /** There was such a run: when there is none, it is forgotten rather than unknown. */
  readonly isKnown: boolean;
}

/** What the waits of one queue share. */
export interface WaitShared {
  readonly looker: ResultLooker;
  readonly deadlines: Deadlines;
}

/**
 * Waits for the result of a run.
 *
 * @param awaited - resolves once the run has been submitted; what it rejects with comes through
 * @throws {RunFailedError} when the run ended otherwise than completed, or there was never one
 * @throws {RunForgottenError | WaitTimeoutError} and the reason of the signal
 */
export function waitForRun<Result>(
  shared: WaitShared,
  awaited: Promise<Awaited>,
  limits: WaitLimits & WaitEnd,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const wait = new Wait<Result>({ shared, limits, resolve, reject });
    awaited.then(
      (target) => wait.begin(target),
      (error) => wait.onError(error),
    );
  });
}

/** The result of a run that has ended. @throws {RunFailedError} when it ended otherwise than completed */
function resultOf<Result>({ id, state, result, errors }: Run): Result {
  if (state !== 'completed') throw new RunFailedError(id, state, errors.at(-1));
  // What the handler gave, as far as JSON can hold it.
  return (result === undefined ? undefined : JSON.parse(result)) as Result;
}

interface WaitEnd {
  /** Called when the wait is over, however it went. */
  readonly onEnd?: () => void;
}

interface WaitParts<Result> {
  readonly shared: WaitShared;
  readonly limits: WaitLimits & WaitEnd;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** One caller that waits; leaves neither timer nor listener behind. */
class Wait<Result> implements Watcher, Timed {
  readonly #parts: WaitParts<Result>;
  #awaited: Awaited | undefined;
  #state: string = 'unsubmitted';
  #trouble: unknown;
  #isOver = false;
  #leave: (() => void) | undefined;
  #onAbort: (() => void) | undefined;

  constructor(parts: WaitParts<Result>) {
    this.#parts = parts;
    const { timeoutMs, signal } = parts.limits;
    if (this.#isTimed()) parts.shared.deadlines.add(timeoutMs, this);
    if (signal === undefined) return;
    this.#onAbort = () => this.onError(signal.reason);
    signal.addEventListener('abort', this.#onAbort);
  }

  begin(awaited: Awaited): void {
    if (this.#isOver) return;
    this.#awaited = awaited;
    this.#leave = this.#parts.shared.looker.watch(awaited, this);
  }

  onRun(run: Run | undefined): void {
    if (run === undefined) this.#onMissing();
    else if (isEnd(run.state)) this.#onEnd(run);
    else {
      this.#state = run.state;
      this.#trouble = undefined;
      this.#endIfOnlyOnce();
    }
  }

  onError(error: unknown): void {
    if (this.#end()) this.#parts.reject(error);
  }

  onTrouble(error: unknown): void {
    this.#trouble = error;
    this.#endIfOnlyOnce();
  }

  onTimeout(): void {
    const { timeoutMs } = this.#parts.limits;
    const id = this.#awaited?.id ?? '';
    this.onError(new WaitTimeoutError({ id, state: this.#state, timeoutMs }, this.#trouble));
  }

  #onMissing(): void {
    const { id = '', isKnown = false } = this.#awaited ?? {};
    const isForgotten = isKnown || this.#state !== 'unsubmitted';
    this.onError(isForgotten ? new RunForgottenError(id) : new RunFailedError(id, 'unknown'));
  }

  #onEnd(run: Run): void {
    if (!this.#end()) return;
    try {
      this.#parts.resolve(resultOf<Result>(run));
    } catch (error) {
      this.#parts.reject(error);
    }
  }

  /** A timeout of 0 is one look. */
  #endIfOnlyOnce(): void {
    if (this.#parts.limits.timeoutMs <= 0) this.onTimeout();
  }

  #isTimed(): boolean {
    const { timeoutMs } = this.#parts.limits;
    return timeoutMs > 0 && timeoutMs < Infinity;
  }

  /** @returns whether it was not over yet */
  #end(): boolean {
    if (this.#isOver) return false;
    const { shared, limits } = this.#parts;
    this.#isOver = true;
    this.#leave?.();
    if (this.#isTimed()) shared.deadlines.delete(limits.timeoutMs, this);
    limits.onEnd?.();
    if (this.#onAbort) limits.signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }
}
