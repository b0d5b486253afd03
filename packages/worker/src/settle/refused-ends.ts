import { MAX_INSTANT_AT } from '@retry/core';
import type { AttemptError, Run, Settlement } from '@retry/core/broker';
import { failedRun } from './failed-run.ts';
import { settle } from './settlement.ts';
import type { Redact } from './stored-error.ts';

/** What of an error's text is kept where even the usual record was refused. */
const MAX_PLAIN_CHARACTERS = 500;

/** An attempt whose end the broker refuses for good. */
interface RefusedEnd {
  readonly run: Run<'started'>;
  /** Why the broker refuses it. */
  readonly error: unknown;
  /** Now by the broker's clock, in epoch ms. */
  readonly now: number;
  readonly redact?: Redact | undefined;
  readonly onlyIfExpired: boolean;
}

/**
 * The ends that a run can have whose settlement no broker keeps: a dead letter with the broker's error, without a result.
 * First with its record, in text that every broker can keep; then with the least that a run can have.
 */
export function refusedEnds({
  run,
  error,
  now,
  redact,
  onlyIfExpired,
}: RefusedEnd): readonly [usual: Settlement, least: Settlement] {
  const at = Math.min(Math.max(Math.floor(now) || 0, 0), MAX_INSTANT_AT);
  const failed = failedRun(run, { error, at, isFollowed: false, redact });
  const { previousDelayMs: _, result: __, ...kept } = failed;
  const end = (errors: readonly AttemptError[]): Settlement => ({
    ...settle({ ...kept, errors }, [{ type: 'fail', at }]),
    ...(onlyIfExpired && { onlyIfExpired }),
  });
  return [end(failed.errors.map(wellFormed)), end(failed.errors.slice(-1).map(plain))];
}

function wellFormed(error: AttemptError): AttemptError {
  const { name, message, stack } = error;
  return {
    ...error,
    name: keepable(name),
    message: keepable(message),
    ...(stack !== undefined && { stack: keepable(stack) }),
  };
}

/** Without U+0000 and halves of surrogate pairs, which some brokers cannot keep. */
function keepable(text: string): string {
  return text.replaceAll(/\0|\p{Surrogate}/gu, '\u{fffd}');
}

function plain({ epoch, at, name, message }: AttemptError): AttemptError {
  return { epoch, at, name: ascii(name), message: ascii(message) };
}

function ascii(text: string): string {
  return text.replaceAll(/[^ -~]/g, '?').slice(0, MAX_PLAIN_CHARACTERS);
}
