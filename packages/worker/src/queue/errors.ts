import { formatDuration, RetryError } from '@retry/core';
import type { AttemptError } from '@retry/core/broker';
import type { Submitted } from './submission.ts';

/** A run that was waited for ended otherwise than completed, or no run of its id is known. */
export class RunFailedError extends RetryError {
  override readonly name: string = 'RunFailedError';
  readonly id: string;
  /** The state in which it ended; `unknown` when there is no such run. */
  readonly state: string;
  /** `name` of the error of its latest attempt; absent when no attempt failed. */
  readonly errorName: string | undefined;
  /** `message` of that error. */
  readonly errorMessage: string | undefined;

  /** @param last - the error of the latest attempt; as an `Error` it is the `cause` */
  constructor(id: string, state: string, last?: AttemptError) {
    super('RUN_FAILED', `run ${id} is ${state}`, last && { cause: asError(last) });
    this.id = id;
    this.state = state;
    this.errorName = last?.name;
    this.errorMessage = last?.message;
  }
}

/** What an attempt left behind, as the error it was. */
function asError({ message, stack, ...rest }: AttemptError): Error {
  const error = Object.assign(new Error(message), rest);
  error.stack = stack ?? `${rest.name}: ${message}`;
  return error;
}

/** The run that was waited for is no longer kept, so that it is not known how it ended. */
export class RunForgottenError extends RetryError {
  override readonly name: string = 'RunForgottenError';
  readonly id: string;
  readonly state = 'forgotten';

  constructor(id: string) {
    super(
      'RUN_FORGOTTEN',
      `run ${id} is forgotten: it ended and retention dropped it, it was discarded, or the transaction that submitted ` +
        'it did not commit. Submit with keepResult, or use submitAndWait, and its result is kept until it is read.',
    );
    this.id = id;
  }
}

/** The run that is waited for did not end in time; it goes on. */
export class WaitTimeoutError extends RetryError {
  override readonly name: string = 'WaitTimeoutError';
  /** Empty when not even its submission was answered. */
  readonly id: string;
  /** The state in which it was seen last; `unsubmitted` before that. */
  readonly state: string;

  /** @param cause - why the broker could not be asked, where that was so */
  constructor({ id, state, timeoutMs }: { id: string; state: string; timeoutMs: number }, cause?: unknown) {
    super(
      'WAIT_TIMEOUT',
      `${id === '' ? 'the run' : `run ${id}`} is still ${state} after ${formatDuration(timeoutMs)}. ` +
        'It goes on. Give a longer timeout, or ask queue.unattended() whether a worker knows its task.',
      cause === undefined ? undefined : { cause },
    );
    this.id = id;
    this.state = state;
  }
}

/** What became of the payloads of a `submitMany` that failed when some were kept already. */
export interface PartlySubmitted {
  /** Kept runs, in the order of their payloads. */
  readonly submitted: readonly Submitted[];
  /** Ids of runs of which it is not known whether they were kept: the answer was lost. */
  readonly unknown: readonly Submitted['id'][];
  /** Positions of the payloads that were not kept, counted from 0. */
  readonly notSubmitted: readonly number[];
}

/** `submitMany` failed after runs had been kept; what became of each payload stands in it. */
export class PartlySubmittedError extends RetryError implements PartlySubmitted {
  override readonly name: string = 'PartlySubmittedError';
  readonly submitted: readonly Submitted[];
  readonly unknown: readonly string[];
  readonly notSubmitted: readonly number[];

  constructor({ submitted, unknown, notSubmitted }: PartlySubmitted, cause: unknown) {
    super(
      'PARTLY_SUBMITTED',
      `${submitted.length} runs were submitted, ${notSubmitted.length} were not, of ${unknown.length} it is not known. ` +
        'Submit those of notSubmitted again.',
      { cause },
    );
    this.submitted = submitted;
    this.unknown = unknown;
    this.notSubmitted = notSubmitted;
  }
}
