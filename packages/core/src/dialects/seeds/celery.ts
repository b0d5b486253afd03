import { type DialectWarning, warnIf, warnRunsOnce } from '../dialect.ts';
import type { ExceptionLike } from '../read-exceptions.ts';
import { isUnset } from '../read-options.ts';

/** Celery's task options for retries; durations are in seconds. */
export interface CeleryOptions {
  /** Exceptions that are retried automatically; empty: none. @default [] */
  readonly autoretry_for?: readonly ExceptionLike[] | undefined;
  /** Exceptions that are never retried; takes precedence over `autoretry_for`. @default [] */
  readonly dont_autoretry_for?: readonly ExceptionLike[] | undefined;
  /** Retries, not counting the first run; `null`: no limit. @default 3 */
  readonly max_retries?: number | null | undefined;
  /** Seconds before a retry without `retry_backoff`. @default 180 */
  readonly default_retry_delay?: number | undefined;
  /** `true` = 1; a number is the seconds before the first retry, doubled each time. @default false */
  readonly retry_backoff?: boolean | number | `${number}` | undefined;
  /** Longest backoff in seconds (not minutes). @default 600 */
  readonly retry_backoff_max?: number | `${number}` | undefined;
  /** Full jitter in whole seconds; only with `retry_backoff`. @default true */
  readonly retry_jitter?: boolean | undefined;
  /** The arguments of autoretry's `retry()`: `max_retries` overrides the option, `countdown` applies without a backoff. */
  readonly retry_kwargs?:
    | {
        /** Seconds before each retry; `null`: `default_retry_delay`. */
        readonly countdown?: number | null | undefined;
        /** Retries, not counting the first run; `null`: the option of the same name. */
        readonly max_retries?: number | null | undefined;
      }
    | undefined;
  /** Expected errors for Celery's log, without effect on retries. @default [] */
  readonly throws?: readonly ExceptionLike[] | undefined;
}

/** Returns the warnings about valid Celery options. */
export function warnCelery(options: CeleryOptions): readonly (DialectWarning | undefined)[] {
  return [...warnLimit(options), ...warnDelays(options), ...warnExceptions(options)];
}

function warnLimit({ max_retries, retry_kwargs }: CeleryOptions): readonly (DialectWarning | undefined)[] {
  const isOverridden = !isUnset(retry_kwargs?.max_retries);
  return [
    isOverridden
      ? warnRunsOnce('retry_kwargs.max_retries', retry_kwargs?.max_retries)
      : warnRunsOnce('max_retries', max_retries),
    warnIf(max_retries === null && !isOverridden, {
      code: 'UNLIMITED',
      path: 'max_retries',
      message: 'max_retries: null retries for ever',
      cure: 'Write a number of retries.',
    }),
  ];
}

function warnDelays(options: CeleryOptions): readonly (DialectWarning | undefined)[] {
  const { retry_backoff = false, retry_kwargs, default_retry_delay, autoretry_for } = options;
  const hasBackoff = Number(retry_backoff) !== 0;
  const hasCountdown = !isUnset(retry_kwargs?.countdown);
  return [
    warnIf(!hasBackoff && !hasCountdown && default_retry_delay === undefined && hasAny(autoretry_for), {
      code: 'DEFAULT_DELAY',
      path: 'default_retry_delay',
      message: 'without retry_backoff every retry waits 180 s, also an automatic one',
      cure: 'Write default_retry_delay or retry_backoff.',
    }),
    warnUnused('retry_kwargs.countdown', 'retry_backoff overwrites it', hasBackoff && hasCountdown),
    ...(hasBackoff ? [] : warnWithoutBackoff(options)),
    ...(hasBackoff ? [warnRounded('retry_backoff', retry_backoff, 1)] : []),
    ...(hasBackoff ? [warnRounded('retry_backoff_max', options.retry_backoff_max, 0)] : []),
  ];
}

function warnWithoutBackoff(options: CeleryOptions): readonly (DialectWarning | undefined)[] {
  const reason = 'it has no effect without retry_backoff';
  return [
    warnUnused('retry_jitter', reason, options.retry_jitter === true),
    warnUnused('retry_backoff_max', reason, options.retry_backoff_max !== undefined),
  ];
}

function warnExceptions(options: CeleryOptions): readonly (DialectWarning | undefined)[] {
  const { autoretry_for, throws } = options;
  return [
    warnIf(!hasAny(autoretry_for), {
      code: 'RETRIES_NOTHING',
      path: 'autoretry_for',
      message: 'it lists nothing, so only an explicit retry() retries',
      cure: 'List the expected exceptions.',
    }),
    warnUnused('throws', 'it affects the log only; autoretry_for applies nevertheless', hasAny(throws)),
  ];
}

/** `null` lists nothing, as it does in Celery. */
function hasAny(listed: readonly unknown[] | null | undefined): boolean {
  return !isUnset(listed) && listed.length > 0;
}

function warnUnused(path: string, message: string, applies: boolean): DialectWarning | undefined {
  const cure = 'Leave it out.';
  return warnIf(applies, { code: 'WITHOUT_EFFECT', path, message, cure });
}

function warnRounded(path: string, given: unknown, least: number): DialectWarning | undefined {
  const used = Math.max(least, Math.trunc(Number(given)));
  return warnIf(given !== undefined && used !== Number(given), {
    code: 'ROUNDED',
    path,
    message: `${path}: ${String(given)} counts as ${used} s`,
    cure: `Write whole seconds, ${least} or more.`,
  });
}
