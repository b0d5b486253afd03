import type { Duration } from '../duration.ts';
import type { Matcher } from '../matching/matcher.ts';
import type {
  Backoff,
  BackoffInput,
  CapAt,
  ErrorDelays,
  ErrorDelaysInput,
  Jitter,
  JitterInput,
} from './delays.ts';
import type { Gate, GateLike } from './strategy.ts';

/** How a server's delay is used: as a lower bound, instead of the policy's own delay (capped), or not at all. */
type RetryAfterMode = (typeof RETRY_AFTER_MODES)[number];

/** Every value of {@link RetryAfterMode}. */
export const RETRY_AFTER_MODES = ['floor', 'replace', 'ignore'] as const;

/** What becomes of a server's delay over `retryAfter.max`: the retrying ends, it is not used, or shortened to the maximum. */
type BeyondMax = (typeof BEYOND_MAX)[number];

/** Every value of {@link BeyondMax}. */
export const BEYOND_MAX = ['stop', 'ignore', 'clamp'] as const;

/** A policy as people write it. Every key is optional; unknown keys are errors. */
export interface PolicyInput {
  /** Only in a spread policy, which this key makes a type error. */
  readonly [DEFINED_POLICY]?: never;
  /** The total number of executions, including the first: an integer ≥ 1 or `Infinity`. @default 3 */
  readonly maxAttempts?: number | 'Infinity' | undefined;
  /** Delay before the first attempt; part of `totalTimeout`, and shorter than it. @default 0 */
  readonly initialDelay?: Duration | undefined;
  /** How the delay grows from one retry to the next. @default { type: 'exponential', base: '100ms', factor: 2 } */
  readonly backoff?: BackoffInput | undefined;
  /** Delays after classes of errors: the first entry that matches replaces `backoff`, and `jitter` if it has one. @default [] */
  readonly delays?: readonly ErrorDelaysInput[] | undefined;
  /** `true`: no delay but `minDelay` before the first retry, and the backoff begins with the second. @default false */
  readonly immediateFirst?: boolean | undefined;
  /** How the delay is spread at random. @default 'full' ('none' for the backoffs `none` and `decorrelated`, which is random already) */
  readonly jitter?: JitterInput | undefined;
  /** Lowest delay. @default 0 */
  readonly minDelay?: Duration | undefined;
  /** Highest delay. @default '20s', or the base if that is longer */
  readonly maxDelay?: Duration | undefined;
  /** Whether `maxDelay` holds before the jitter, after it, or for the backoff alone. @default 'before-jitter' */
  readonly capAt?: CapAt | undefined;
  /** Delays are whole multiples of it; 0: no rounding. @default 0 */
  readonly granularity?: Duration | undefined;
  /** Expected errors: all, none, or those that a matcher of the list matches. @default 'everything' */
  readonly retryOn?: readonly Matcher[] | 'everything' | 'nothing' | undefined;
  /** Errors that are never retried; takes precedence over `retryOn`. @default [] */
  readonly stopOn?: readonly Matcher[] | undefined;
  /**
   * Whether what is retried may be applied twice. `false`: an error after which it may have been applied is not expected (the half
   * `ambiguous` of the families of `@retry/core/errors`), nor an attempt timeout unless `retryTimeouts` is written. A run that stalls
   * follows `onStall` of its task. @default true
   */
  readonly idempotent?: boolean | undefined;
  /** Called for a retry that all other error rules allow, before its delay: a gate, or its name in the registry. */
  readonly retryIf?: GateLike | string | undefined;
  /** Longest time one attempt may take. @default 'Infinity' */
  readonly attemptTimeout?: Duration | undefined;
  /** Longest time of all attempts and waits together. @default 'Infinity' */
  readonly totalTimeout?: Duration | undefined;
  /**
   * `true`: an attempt timeout is an expected failure whatever `retryOn` is, unless `stopOn` matches it. `false`: it is
   * matched like any other error. @default the value of `idempotent`
   */
  readonly retryTimeouts?: boolean | undefined;
  /** What becomes of a delay that the server asks for, by a `Retry-After` header for example. */
  readonly retryAfter?:
    | {
        /** The longest delay of a server that is followed, its jitter included. @default '60s' */
        readonly max?: Duration | undefined;
        /** Whether a longer one ends the retrying, is ignored, or shortened to `max`. @default 'stop' */
        readonly beyondMax?: BeyondMax | undefined;
        /** How it is spread, upward only: callers that are answered the same would come back together. @default { up: 0.1 } */
        readonly jitter?: ServerJitterInput | undefined;
        /** Whether it is a minimum, replaces the policy's delay, or is ignored. @default 'floor' */
        readonly mode?: RetryAfterMode | undefined;
      }
    | undefined;
  /** `false`: one execution, no retries. @default true */
  readonly retryable?: boolean | undefined;
}

/** How a server's delay is spread: upward, by a share of it or a length of time. */
export type ServerJitterInput =
  | 'none'
  | { readonly up: number; readonly plus?: undefined }
  | { readonly plus: Duration; readonly up?: undefined };

declare const DEFINED_POLICY: unique symbol;

/** A key of a policy as people write it. */
export type PolicyKey = Extract<keyof PolicyInput, string>;

/** Makes the type opaque: a spread loses the private key and keeps the other, so it is neither a policy nor an input. */
declare abstract class DefinedPolicy {
  private readonly isDefined: true;
}

/**
 * A checked, frozen policy with every default filled in. Made by `definePolicy`, changed by `extendPolicy`.
 *
 * Its key is of no literal type: without `strictNullChecks` TypeScript would take any object without that key for a policy, and not see
 * that `'2s'` in it is a duration.
 */
export type Policy = DefinedPolicy & { readonly [DEFINED_POLICY]: object };

/** The content of a {@link Policy}, every duration in milliseconds; these packages read it by `settingsOf`. */
export interface PolicySettings {
  /** The total number of executions, including the first: an integer ≥ 1 or `Infinity`. */
  readonly maxAttempts: number;
  /** Before the first attempt. */
  readonly initialDelayMs: number;
  /** How the delay grows from one retry to the next. */
  readonly backoff: Backoff;
  /** Delays after classes of errors. */
  readonly delays: readonly ErrorDelays[];
  /** Whether the first retry has no delay, and the backoff begins with the second. */
  readonly immediateFirst: boolean;
  /** How the delay is spread at random. */
  readonly jitter: Jitter;
  /** Lowest delay. */
  readonly minDelayMs: number;
  /** Highest delay; may be `Infinity`. */
  readonly maxDelayMs: number;
  /** Where `maxDelayMs` applies. */
  readonly capAt: CapAt;
  /** Delays are whole multiples of it; 0: no rounding. */
  readonly granularityMs: number;
  /** Expected errors. */
  readonly retryOn: readonly Matcher[] | 'everything' | 'nothing';
  /** Errors that are never retried; takes precedence over `retryOn`. */
  readonly stopOn: readonly Matcher[];
  /** Whether errors are expected after which the attempt may have been applied. */
  readonly idempotent: boolean;
  /** Asked about a retry that all other error rules allow; its name in the registry, if it has one. */
  readonly retryIf?: { readonly name?: string; readonly test: Gate } | undefined;
  /** Longest time of one attempt; may be `Infinity`. */
  readonly attemptTimeoutMs: number;
  /** Longest time of all attempts and waits together; may be `Infinity`. */
  readonly totalTimeoutMs: number;
  /** Whether an attempt timeout is an expected failure whatever `retryOn` is. */
  readonly retryTimeouts: boolean;
  /** How a server's delay is used, and the longest that is followed. */
  readonly retryAfter: ServerDelayRule;
  /** `false`: one execution, no retries. */
  readonly retryable: boolean;
}

/** How a server's delay is used. */
export interface ServerDelayRule {
  readonly mode: RetryAfterMode;
  /** The longest that is followed; may be `Infinity`. */
  readonly maxMs: number;
  /** What becomes of a longer one. */
  readonly beyondMax: BeyondMax;
  /** How it is spread upward. */
  readonly jitter: 'none' | { readonly up: number } | { readonly plusMs: number };
}
