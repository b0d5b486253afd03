import type { Duration } from '../duration.ts';
import type { Matcher } from '../matching/matcher.ts';

/** What strategies and gates know about their call or run; nothing of its payload. Set by `decide`. */
export interface RunFacts {
  /** The run's id; only in a worker. */
  readonly id?: string | undefined;
  /** The run's lane, `name@version`; only in a worker. */
  readonly lane?: string | undefined;
  /** Failed attempts, including the one that has just failed. */
  readonly failures?: number | undefined;
  /** Attempts that stalled, including one that has just stalled; only in a worker. */
  readonly stalls?: number | undefined;
  /** Charged attempts that the run brought along from elsewhere; only in a worker. */
  readonly carried?: number | undefined;
  /** Now, in epoch milliseconds; by the broker's clock in a worker. */
  readonly now?: number;
  /** Milliseconds since the call or run began, `initialDelay` and waits included. */
  readonly elapsedMs?: number;
  /** Milliseconds that the failed attempt took, if that is known. */
  readonly attemptMs?: number | undefined;
}

/** What `computeDelay` and a custom strategy receive besides the number of the retry. */
export interface DelayContext extends RunFacts {
  /** Source of randomness: returns a number in [0, 1). */
  readonly random: () => number;
  /** Delay before the previous retry, in milliseconds; absent before retry 1. Decorrelated backoff grows from it. */
  readonly previousDelayMs?: number | undefined;
  /** What the failed attempt threw, or the result that `retryIfResult` refused. */
  readonly error?: unknown;
}

/**
 * A custom backoff: returns the milliseconds before retry `retry` (counted from 1), or `'stop'` to end the retrying with
 * the reason `stopped`. Any other result that is not a finite number is replaced by the base, a negative one by 0.
 */
export type DelayStrategy = (
  retry: number,
  context: DelayContext & { readonly baseMs: number },
) => number | 'stop';

/**
 * A {@link DelayStrategy}; an object with a strategy as `next`; or an object whose `create` returns a new strategy, for
 * strategies with state. In process, each call creates its own at its first retry; in a worker, whose attempts may be far
 * apart, and in `preview`, each delay is computed by a new one.
 */
export type DelayStrategyLike =
  | DelayStrategy
  | { readonly next: DelayStrategy }
  | { readonly create: () => DelayStrategy | { readonly next: DelayStrategy } };

/** What a gate receives besides the error. */
export interface GateContext extends RunFacts {
  /** The attempt that just failed, counted from 1. */
  readonly attempt: number;
}

/** Returns whether to retry after an error that the other error rules allow; must be synchronous. */
export type Gate = (error: unknown, context: GateContext) => boolean;

/** A {@link Gate}, or an object with a gate as `test`. */
export type GateLike = Gate | { readonly test: Gate };

/** Named strategies and gates that a policy may refer to. There is no global registry. */
export interface Registry {
  /** Strategies by the names that `backoff.strategy` may have. */
  readonly strategies?: Readonly<Record<string, DelayStrategyLike>> | undefined;
  /** Gates by the names that `retryIf` may have. */
  readonly gates?: Readonly<Record<string, GateLike>> | undefined;
}

/** How the delay grows, as people write it. */
export type BackoffInput =
  | {
      /** No delay. */
      readonly type: 'none';
    }
  | {
      /** `base` each time. */
      readonly type: 'constant';
      /** Delay before each retry; finite. */
      readonly base: Duration;
    }
  | {
      /** `base`, then `increment` more each time. */
      readonly type: 'linear';
      /** Delay before the first retry; finite. */
      readonly base: Duration;
      /** What each delay is longer than the one before. @default the base */
      readonly increment?: Duration | undefined;
    }
  | {
      /** `base`, then `factor` times as long each time. */
      readonly type: 'exponential';
      /** Delay before the first retry; finite. */
      readonly base: Duration;
      /** Finite, ≥ 0. @default 2 */
      readonly factor?: number | undefined;
      /** What is added to each delay; finite. @default 0 */
      readonly offset?: Duration | undefined;
    }
  | {
      /** `offset`, and `base` times a power of the retry's number: `offset + base × (retry − 1 + from) ^ exponent`. */
      readonly type: 'polynomial';
      /** What is multiplied; finite. */
      readonly base: Duration;
      /** The power: 2 for the square, 4 as in Sidekiq. Finite, ≥ 0. */
      readonly exponent: number;
      /** What is added to each delay; finite. @default 0 */
      readonly offset?: Duration | undefined;
      /** The number that is raised for the first retry, an integer: 0 begins with `offset` alone. Below 0 it counts as 0. @default 1 */
      readonly from?: number | undefined;
    }
  | {
      /** `base` times 1, 1, 2, 3, 5, … */
      readonly type: 'fibonacci';
      /** Delay before the first retry, and the second; finite. */
      readonly base: Duration;
    }
  | {
      /** Drawn at random between `base` and three times the delay before. */
      readonly type: 'decorrelated';
      /** Lowest delay; finite. */
      readonly base: Duration;
    }
  | {
      /** A delay for each retry; the last one again after it. */
      readonly type: 'list';
      /** The delays in their order, at least one; finite. */
      readonly delays: readonly Duration[];
    }
  | {
      /** What a function returns. */
      readonly type: 'custom';
      /** The strategy itself, or its name in the registry. */
      readonly strategy: DelayStrategyLike | string;
      /** The delay where the strategy returns anything but a finite number. @default 0 */
      readonly base?: Duration | undefined;
    };

/** How the delay grows, every duration in milliseconds. */
export type Backoff =
  | { readonly type: 'none' }
  | { readonly type: 'constant'; readonly baseMs: number }
  | { readonly type: 'linear'; readonly baseMs: number; readonly incrementMs: number }
  | {
      readonly type: 'exponential';
      readonly baseMs: number;
      readonly factor: number;
      /** Added to each delay; absent: 0. */
      readonly offsetMs?: number;
    }
  | {
      readonly type: 'polynomial';
      readonly baseMs: number;
      readonly exponent: number;
      /** Added to each delay. */
      readonly offsetMs: number;
      /** The number that is raised for the first retry. */
      readonly from: number;
    }
  | { readonly type: 'fibonacci'; readonly baseMs: number }
  | { readonly type: 'decorrelated'; readonly baseMs: number }
  | { readonly type: 'list'; readonly delaysMs: readonly number[] }
  | {
      readonly type: 'custom';
      /** The strategy's name in the registry; absent where the strategy itself was given. */
      readonly name?: string;
      /** Computes a delay; of a strategy with state, by a new one each time. */
      readonly next: DelayStrategy;
      /** Creates the strategy of one call, if the strategy has state. */
      readonly create?: () => DelayStrategy;
      /** What the strategy is given, and the delay where it returns no finite number. */
      readonly baseMs: number;
    };

/** The jitters that have a name. */
export const JITTER_NAMES = ['none', 'full', 'equal', 'bounded'] as const;

/**
 * How the delay is spread, as people write it: by a share of it, or by a length of time.
 *
 * `{ proportional: 0.1 }` is ± 10 %, `{ down: 0.3 }` up to 30 % less, `{ up: 0.2 }` up to 20 % more; `{ minus: '20ms' }` is up to
 * 20 ms less, `{ plus: '200ms' }` up to 200 ms more. `increment` is what `plus` is longer before each further retry.
 */
export type JitterInput =
  | (typeof JITTER_NAMES)[number]
  // One kind each: a union of objects without the other keys would accept two of them together.
  | (Without<'down' | 'up' | TimeReach> & { readonly proportional: number })
  | (Without<'proportional' | TimeReach> & { readonly down: number; readonly up?: number | undefined })
  | (Without<'proportional' | TimeReach> & { readonly up: number; readonly down?: undefined })
  | (Without<ShareReach> & {
      readonly plus: Duration;
      readonly minus?: Duration | undefined;
      readonly increment?: Duration | undefined;
    })
  | (Without<ShareReach | 'increment'> & {
      readonly minus: Duration;
      readonly plus?: undefined;
    });

type ShareReach = 'proportional' | 'down' | 'up';

type TimeReach = 'minus' | 'plus' | 'increment';

type Without<Key extends string> = { readonly [K in Key]?: undefined };

/** How the delay is spread, every duration in milliseconds. */
export type Jitter =
  | (typeof JITTER_NAMES)[number]
  | { readonly proportional: number }
  | SharesOfDelay
  | TimesAroundDelay;

/** Shares of the delay by which it may be shorter and longer; absent: 0. */
export interface SharesOfDelay {
  readonly down?: number;
  readonly up?: number;
}

/** Lengths of time by which the delay may be shorter and longer; absent: 0. */
export interface TimesAroundDelay {
  readonly minusMs?: number;
  readonly plusMs?: number;
  /** What `plusMs` is longer before each further retry. */
  readonly incrementMs?: number;
}

/** The delays after one class of errors, as people write them. */
export interface ErrorDelaysInput {
  /** Matchers of the errors; any one is enough. */
  readonly on: readonly Matcher[];
  /** How the delay grows after them. The retry keeps its number: it counts all retries. */
  readonly backoff: BackoffInput;
  /** How it is spread. @default that of the policy */
  readonly jitter?: JitterInput | undefined;
}

/** The delays after one class of errors. */
export interface ErrorDelays {
  readonly on: readonly Matcher[];
  readonly backoff: Backoff;
  readonly jitter: Jitter;
}

/**
 * Where `maxDelay` applies. `before-jitter`: jitter draws below the cap, also after the backoff has reached it.
 * `after-jitter`: the drawn delay is capped (Jobbers, CMDx). `ignores-jitter`: jitter may exceed the cap (Tasker).
 */
export type CapAt = (typeof CAPS)[number];

/** Every value of {@link CapAt}. */
export const CAPS = ['before-jitter', 'after-jitter', 'ignores-jitter'] as const;

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
