import type { Fields } from '../../fields/fields.ts';
import { isUnset, readInteger, readOptions } from '../read-options.ts';
import { fromCelery } from './from-celery.ts';
import type { CeleryOptions } from './options.ts';

/** When a message is to run: after so many seconds, or at an instant. */
export interface CelerySchedule {
  /** Seconds from now. */
  readonly countdown?: number | null;
  /** Epoch milliseconds. */
  readonly eta?: number | null;
}

/** A call of `self.retry(…)` and where the task stands. */
export interface CeleryRetryCall extends CelerySchedule {
  /** Retries so far: 0 in the first run. */
  readonly retries: number;
  /** What the task wants to end with once the retries are used up. */
  readonly exc?: unknown;
  /** Beats the task's own limit, for this call. */
  readonly max_retries?: number | null;
  /** `false`: the task goes on after the call and ends as it likes. @default true */
  readonly throw?: boolean;
  /** The task was called like a function, outside of a worker. @default false */
  readonly called_directly?: boolean;
}

/** What a call of `retry()` leads to. */
export type CeleryRetry =
  | (CeleryWhen & {
      readonly type: 'retry';
      /** What Celery's `Retry.when` shows: an eta comes first, also where a countdown replaces it. */
      readonly shown: CeleryWhen;
      /** State that the run that called ends in: `SUCCESS` only with `throw: false`. */
      readonly state: 'RETRY' | 'SUCCESS';
    })
  | {
      readonly type: 'fail';
      /** `exc` itself, a `MaxRetriesExceededError`, or (called directly) a `Retry` that nobody catches. */
      readonly error: 'exc' | 'MaxRetriesExceededError' | 'Retry';
    };

/** After so long, or at an instant in epoch milliseconds. */
export type CeleryWhen = { readonly delayMs: number } | { readonly runAt: number };

const CALL_KEYS = ['retries', 'exc', 'max_retries', 'throw', 'called_directly', 'countdown', 'eta'];

/**
 * What `self.retry(…)` does in a task with these options: schedules one more run, or ends with an error. Pure.
 *
 * @throws {InvalidOptionsError} when the options or the call are wrong
 * @see docs/dialects.md#celery-manual-retry
 */
export function celeryRetry(options: CeleryOptions, call: CeleryRetryCall): CeleryRetry {
  const { default_retry_delay = 180, max_retries = 3 } = options;
  fromCelery({ default_retry_delay, max_retries });
  readOptions(call, CALL_KEYS, checkCall);
  const isGiven = call.exc !== undefined && call.exc !== null;
  if (call.called_directly === true) return { type: 'fail', error: isGiven ? 'exc' : 'Retry' };

  const limit = call.max_retries ?? max_retries ?? Infinity;
  if (call.retries + 1 > limit) return { type: 'fail', error: isGiven ? 'exc' : 'MaxRetriesExceededError' };
  const when = whenOf(call);
  const schedule = when ?? { delayMs: default_retry_delay * 1_000 };
  const shown = isUnset(call.eta) ? schedule : { runAt: call.eta };
  return { type: 'retry', ...schedule, shown, state: call.throw === false ? 'SUCCESS' : 'RETRY' };
}

/**
 * When a message with this `countdown` and `eta` runs: a countdown other than 0 replaces the eta.
 *
 * @param now - epoch milliseconds
 * @returns epoch milliseconds; `undefined` for at once
 * @throws {InvalidOptionsError} when one of them is no number
 */
export function celeryMessageEta(schedule: CelerySchedule, now: number): number | undefined {
  readOptions(schedule, ['countdown', 'eta'], checkSchedule);
  if (!isUnset(schedule.countdown) && schedule.countdown !== 0) return now + schedule.countdown * 1_000;
  return schedule.eta ?? undefined;
}

function whenOf({ countdown, eta }: CelerySchedule): CeleryWhen | undefined {
  if (!isUnset(eta) && (isUnset(countdown) || countdown === 0)) return { runAt: eta };
  // A countdown below 0 lies in the past: the message is due at once.
  return isUnset(countdown) ? undefined : { delayMs: Math.max(countdown, 0) * 1_000 };
}

function checkCall(fields: Fields): void {
  readInteger(fields, 'retries', 0, 0);
  readInteger(fields, 'max_retries', 3);
  fields.choice('throw', true, [true, false]);
  fields.choice('called_directly', false, [true, false]);
  checkSchedule(fields);
}

function checkSchedule(fields: Fields): void {
  for (const key of ['countdown', 'eta']) {
    const given = fields.value(key);
    if (isUnset(given) || Number.isFinite(given)) continue;
    fields.fail(key, 'must be a finite number', 'countdown is in seconds, eta in epoch milliseconds.');
  }
}
