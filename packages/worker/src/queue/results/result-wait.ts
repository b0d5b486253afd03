import type { Run } from '@retry/core/broker';
import { isEnd } from '@retry/core/lifecycle';
import { RunFailedError, RunForgottenError, WaitTimeoutError } from '../../errors.ts';
import { onAbort } from './abort-listeners.ts';
import type { ResultPoller, Target, Watcher } from './result-poller.ts';
import type { Timed, Timeouts } from './timeouts.ts';
import type { WaitLimits } from './wait-options.ts';

/** What all waits of one queue share. */
export interface WaitShared {
  readonly poller: ResultPoller;
  readonly timeouts: Timeouts;
}

/**
 * Waits for the result of a run.
 *
 * @param awaited - resolves once the run has been submitted; its rejection is passed on
 * @throws {RunFailedError} when the run ended in another state than `completed`
 * @throws {RunForgottenError | WaitTimeoutError} and the reason of the signal
 */
export function waitForRun<Result>(
  shared: WaitShared,
  awaited: Promise<Target>,
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

/** The result of a run that has ended. @throws {RunFailedError} when it has not completed */
function resultOf<Result>({ id, state, result, errors, trimmed }: Run): Result {
  if (state !== 'completed') throw new RunFailedError(id, state, errors.at(-1));
  if (trimmed?.includes('result')) throw new RunForgottenError(id, 'result');
  // The caller's claim: JSON keeps what the handler returned, but not its type.
  return (result === undefined ? undefined : JSON.parse(result)) as Result;
}

interface WaitEnd {
  /** Called when the wait has ended, in whatever way. */
  readonly onEnd?: () => void;
}

interface WaitParts<Result> {
  readonly shared: WaitShared;
  readonly limits: WaitLimits & WaitEnd;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** The wait of one caller; leaves neither timer nor listener behind. */
class Wait<Result> implements Watcher, Timed {
  readonly #parts: WaitParts<Result>;
  #awaited: Target | undefined;
  #state: string = 'unsubmitted';
  #brokerError: unknown;
  #isOver = false;
  #unwatch: (() => void) | undefined;
  #ignoreSignal: (() => void) | undefined;

  constructor(parts: WaitParts<Result>) {
    this.#parts = parts;
    const { timeoutMs, signal } = parts.limits;
    if (this.#isTimed()) parts.shared.timeouts.add(timeoutMs, this);
    if (signal !== undefined) this.#ignoreSignal = onAbort(signal, () => this.onError(signal.reason));
  }

  begin(awaited: Target): void {
    if (this.#isOver) return;
    this.#awaited = awaited;
    this.#unwatch = this.#parts.shared.poller.watch(awaited, this);
  }

  onRun(run: Run | undefined): void {
    if (run === undefined) this.#onMissing();
    else if (isEnd(run.state)) this.#onEnd(run);
    else {
      this.#state = run.state;
      this.#brokerError = undefined;
      this.#endAfterOnePoll();
    }
  }

  onError(error: unknown): void {
    if (this.#end()) this.#parts.reject(error);
  }

  onBrokerError(error: unknown): void {
    this.#brokerError = error;
    this.#endAfterOnePoll();
  }

  onTimeout(): void {
    const { timeoutMs } = this.#parts.limits;
    const id = this.#awaited?.id ?? '';
    this.onError(new WaitTimeoutError({ id, state: this.#state, timeoutMs }, this.#brokerError));
  }

  #onMissing(): void {
    this.onError(new RunForgottenError(this.#awaited?.id ?? ''));
  }

  #onEnd(run: Run): void {
    if (!this.#end()) return;
    try {
      this.#parts.resolve(resultOf<Result>(run));
    } catch (error) {
      this.#parts.reject(error);
    }
  }

  /** With a timeout of 0 the run is read once. */
  #endAfterOnePoll(): void {
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
    this.#unwatch?.();
    if (this.#isTimed()) shared.timeouts.delete(limits.timeoutMs, this);
    limits.onEnd?.();
    this.#ignoreSignal?.();
    return true;
  }
}
