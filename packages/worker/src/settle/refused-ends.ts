import { MAX_INSTANT_AT } from '@retry/core';
import type { AttemptError, Run, Settlement } from '@retry/core/broker';
import type { AnyTask } from '../task/task.ts';
import { withDeadLetter } from './dead-letter.ts';
import { withGroup } from './error-group.ts';
import { settle } from './settlement.ts';
import type { AttemptFacts } from './stored-error.ts';
import { failedRun, wellFormed } from './stored-error.ts';

/** How much of an error's text is kept when even the usual record was refused, in UTF-16 units. */
const MAX_PLAIN_LENGTH = 500;

/** An attempt whose settlement the broker refuses for good. */
interface RefusedAttempt extends AttemptFacts {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
  /** Why the broker refuses it. */
  readonly error: unknown;
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
  onlyIfExpired,
  ...facts
}: RefusedAttempt): readonly [usual: Settlement, ...minimal: Settlement[]] {
  const at = Math.min(Math.max(Math.floor(facts.now) || 0, 0), MAX_INSTANT_AT);
  const failed = failedRun(run, { error, isFollowed: false, reason: 'ended' }, { ...facts, now: at });
  const { previousDelayMs: _, result: __, ...kept } = failed;
  const end = (errors: readonly AttemptError[]): Settlement => ({
    ...withGroup(settle({ ...kept, errors }, [{ type: 'fail', at }])),
    ...(onlyIfExpired && { onlyIfExpired }),
  });
  const usual = end(failed.errors.map(wellFormed));
  const minimal = end(failed.errors.slice(-1).map(plain));
  if (typeof task.deadLetter === 'string') return [usual, minimal];
  return [withDeadLetter(task, usual), withDeadLetter(task, minimal, 'refused'), minimal];
}

function plain({ epoch, at, name, message }: AttemptError): AttemptError {
  return { epoch, at, name: ascii(name), message: ascii(message) };
}

function ascii(text: string): string {
  return text.replaceAll(/[^ -~]/g, '?').slice(0, MAX_PLAIN_LENGTH);
}
