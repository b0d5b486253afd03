import { allowedAttempts, settingsOf } from '@retry/core/fields';
import type { RetryRequest, TaskContext } from '../task/task.ts';
import type { Execution } from './execution.ts';
import { RetryRequested } from './outcome.ts';
import { readRetryRequest } from './read-requests.ts';
import { attemptOf } from './settle-outcome.ts';

/** What a handler is told, made of getters: most handlers ask for little of it. Its functions may be taken apart. */
export class HandlerContext implements TaskContext {
  readonly #execution: Execution;

  constructor(execution: Execution) {
    this.#execution = execution;
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

  get signal(): AbortSignal {
    return this.#execution.signal;
  }

  get remainingMs(): number {
    return this.#execution.remainingMs;
  }

  get heartbeat(): TaskContext['heartbeat'] {
    return () => this.#execution.heartbeat();
  }

  get retry(): TaskContext['retry'] {
    return requestRetry;
  }

  get complete(): TaskContext['complete'] {
    return (completion) => this.#execution.complete(completion);
  }

  get log(): TaskContext['log'] {
    return (message, details) => this.#execution.log(message, details);
  }
}

function requestRetry(request: RetryRequest = {}): never {
  throw new RetryRequested(readRetryRequest(request));
}
