import { MAX_INSTANT_AT } from '@retry/core';
import type { AttemptError, Run, Settlement } from '@retry/core/broker';
import { storable } from '../error-text.ts';
import type { AnyTask } from '../task/task.ts';
import { withDeadLetter } from './dead-letter.ts';
import { settle } from './settlement.ts';
import type { Redact } from './stored-error.ts';
import { failedRun } from './stored-error.ts';

/** How much of an error's text is kept when even the usual record was refused, in UTF-16 units. */
const MAX_PLAIN_LENGTH = 500;

/** An attempt whose settlement the broker refuses for good. */
interface RefusedAttempt {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
  /** Why the broker refuses it. */
  readonly error: unknown;
  /** Now by the broker's clock, in epoch ms. */
  readonly now: number;
  readonly redact?: Redact | undefined;
  readonly onlyIfExpired: boolean;
}

/**
 * Returns the settlements to try when a broker refuses a run's own: a dead letter with the broker's error and without a
 * result. First with all errors, in text that every broker can store; then with the minimum that a run can have; where the task submits
 * its dead letters to another one, at last without that.
 */
export function refusedEnds({
  task,
  run,
  error,
  now,
  redact,
  onlyIfExpired,
}: RefusedAttempt): readonly [usual: Settlement, ...minimal: Settlement[]] {
  const at = Math.min(Math.max(Math.floor(now) || 0, 0), MAX_INSTANT_AT);
  const failed = failedRun(run, { error, at, isFollowed: false, redact });
  const { previousDelayMs: _, result: __, ...kept } = failed;
  const end = (errors: readonly AttemptError[]): Settlement => ({
    ...settle({ ...kept, errors }, [{ type: 'fail', at }]),
    ...(onlyIfExpired && { onlyIfExpired }),
  });
  const usual = end(failed.errors.map(wellFormed));
  const minimal = end(failed.errors.slice(-1).map(plain));
  if (typeof task.deadLetter === 'string') return [usual, minimal];
  return [withDeadLetter(task, usual), withDeadLetter(task, minimal, 'refused'), minimal];
}

function wellFormed(error: AttemptError): AttemptError {
  const { name, message, stack } = error;
  return {
    ...error,
    name: storable(name),
    message: storable(message),
    ...(stack !== undefined && { stack: storable(stack) }),
  };
}

function plain({ epoch, at, name, message }: AttemptError): AttemptError {
  return { epoch, at, name: ascii(name), message: ascii(message) };
}

function ascii(text: string): string {
  return text.replaceAll(/[^ -~]/g, '?').slice(0, MAX_PLAIN_LENGTH);
}
