import type { Fields, Report } from '../../fields/fields.ts';
import { integerFrom } from '../../fields/value-rules.ts';
import { signedRetries } from '../option.ts';
import { finiteProduct, isUnset, readOptions } from '../read-options.ts';
import type { CeleryOptions } from '../seeds/celery.ts';
import { fromCelery } from '../systems/celery.ts';

/** When a message is due: after a number of seconds, or at an instant. */
interface CelerySchedule {
  /** Seconds from now. */
  readonly countdown?: number | null;
  /** Epoch milliseconds. */
  readonly eta?: number | null;
}

/** A call of `self.retry(…)`, and the retries of the task so far. */
export interface CeleryRetryCall extends CelerySchedule {
  /** Retries so far: 0 in the first run. */
  readonly retries: number;
  /** The exception to end with when the retries are used up. */
  readonly exc?: unknown;
  /** Overrides the task's own limit for this call. */
  readonly max_retries?: number | null;
  /** `false`: the task continues after the call. @default true */
  readonly throw?: boolean;
  /** The task was called as a function, outside of a worker. @default false */
  readonly called_directly?: boolean;
}

/** The result of a call of `retry()`. */
type CeleryRetry =
  | (CeleryWhen & {
      readonly type: 'retry';
      /** The value of Celery's `Retry.when`: the eta if there is one, also if a countdown replaces it. */
      readonly shown: CeleryWhen;
      /** The end state of the calling run: `SUCCESS` only with `throw: false`. */
      readonly state: 'RETRY' | 'SUCCESS';
    })
  | {
      readonly type: 'fail';
      /** `exc` itself, a `MaxRetriesExceededError`, or (called directly) an uncaught `Retry`. */
      readonly error: 'exc' | 'MaxRetriesExceededError' | 'Retry';
    };

/** After a delay, or at an instant in epoch milliseconds. */
export type CeleryWhen = { readonly delayMs: number } | { readonly runAt: number };

const CALL_KEYS = ['retries', 'exc', 'max_retries', 'throw', 'called_directly', 'countdown', 'eta'];

/**
 * Returns the result of `self.retry(…)` in a task with these options: one more run, or an error. Pure.
 *
 * @throws {InvalidOptionsError} when the options or the call are wrong
 * @see docs/dialects.md#celery-manual-retry
 */
export function celeryRetry(options: CeleryOptions, call: CeleryRetryCall): CeleryRetry {
  fromCelery(options); // throws what is wrong with them
  readOptions(call, { keys: CALL_KEYS }, checkCall);
  const { default_retry_delay, max_retries = 3 } = options;
  const hasException = call.exc !== undefined && call.exc !== null;
  if (call.called_directly === true) return { type: 'fail', error: hasException ? 'exc' : 'Retry' };

  const limit = call.max_retries ?? max_retries ?? Infinity;
  if (call.retries + 1 > limit)
    return { type: 'fail', error: hasException ? 'exc' : 'MaxRetriesExceededError' };
  const when = whenOf(call);
  const schedule = when ?? { delayMs: finiteProduct(default_retry_delay ?? 180, 1_000) };
  const shown = isUnset(call.eta) ? schedule : { runAt: call.eta };
  return { type: 'retry', ...schedule, shown, state: call.throw === false ? 'SUCCESS' : 'RETRY' };
}

/**
 * Returns when a message with this `countdown` and `eta` is due: a countdown other than 0 replaces the eta.
 *
 * @param now - epoch milliseconds
 * @returns epoch milliseconds; `undefined`: immediately
 * @throws {InvalidOptionsError} when one of them is not a number
 */
export function celeryMessageEta(schedule: CelerySchedule, now: number): number | undefined {
  readOptions(schedule, { keys: ['countdown', 'eta'] }, checkSchedule);
  if (!isUnset(schedule.countdown) && schedule.countdown !== 0) return now + schedule.countdown * 1_000;
  return schedule.eta ?? undefined;
}

function whenOf({ countdown, eta }: CelerySchedule): CeleryWhen | undefined {
  if (!isUnset(eta) && (isUnset(countdown) || countdown === 0)) return { runAt: eta };
  // A negative countdown is in the past: the message is due immediately.
  return isUnset(countdown) ? undefined : { delayMs: finiteProduct(Math.max(countdown, 0), 1_000) };
}

function checkCall(fields: Fields, report: Report): void {
  // Without it, no limit would ever be reached.
  fields.number('retries', undefined, integerFrom(0, 'Use 0 in the first run.'));
  MAX_RETRIES.read(fields, 'max_retries', report);
  fields.choice('throw', true, [true, false]);
  fields.choice('called_directly', false, [true, false]);
  checkSchedule(fields);
}

const MAX_RETRIES = signedRetries(3, 'executions after the first');

function checkSchedule(fields: Fields): void {
  for (const key of ['countdown', 'eta']) {
    const given = fields.value(key);
    if (isUnset(given) || Number.isFinite(given)) continue;
    fields.fail(key, 'must be a finite number', 'countdown is in seconds, eta in epoch milliseconds.');
  }
}
