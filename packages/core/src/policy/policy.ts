import type { Duration } from '../duration.ts';
import type { Matcher, MatcherInput } from '../matching/matcher.ts';

/** What a custom strategy and `computeDelay` know besides the retry's number. */
export interface DelayContext {
  /** Source of randomness: each call gives a number in [0, 1). */
  readonly random: () => number;
  /** Delay before the previous retry in ms; absent before retry 1. Only decorrelated backoff reads it. */
  readonly previousDelayMs?: number | undefined;
  /** What the failed attempt threw, for strategies that care. */
  readonly error?: unknown;
  /** Now, in epoch milliseconds; given by `decide`. */
  readonly now?: number;
  /** Milliseconds since the work began; given by `decide`. */
  readonly elapsedMs?: number;
  /** Milliseconds that the failed attempt took, where the caller of `decide` knows. */
  readonly attemptMs?: number | undefined;
}

/**
 * A backoff of your own: milliseconds before retry `retry` (counted from 1).
 * A result that is not a finite number counts as the base, a negative one as 0.
 */
export type DelayStrategy = (retry: number, context: DelayContext & { readonly baseMs: number }) => number;

/**
 * A {@link DelayStrategy}; an object that has one as `next`; or an object that makes a new one with `create`, for strategies
 * that remember. In process each call has its own, and it is made for its first retry; a worker's attempts may be far apart, so there
 * (and in `preview`) each delay is asked of a new one.
 */
export type DelayStrategyLike =
  | DelayStrategy
  | { readonly next: DelayStrategy }
  | { readonly create: () => DelayStrategy | { readonly next: DelayStrategy } };

/** What a gate is told beside the error. */
export interface GateContext {
  /** The attempt that just failed, counted from 1. */
  readonly attempt: number;
}

/** Last word on a retry that every other rule allows; must be synchronous. */
export type Gate = (error: unknown, context: GateContext) => boolean;

/** A {@link Gate}, or an object that has one as `test`. */
export type GateLike = Gate | { readonly test: Gate };

/** Named strategies and gates that a policy may refer to; a plain value, there is no global one. */
export interface Registry {
  readonly strategies?: Readonly<Record<string, DelayStrategyLike>> | undefined;
  readonly gates?: Readonly<Record<string, GateLike>> | undefined;
}

/** How the delay grows, as people write it. */
export type BackoffInput =
  | { readonly type: 'none' }
  | { readonly type: 'constant'; readonly base: Duration }
  | { readonly type: 'linear'; readonly base: Duration; readonly increment?: Duration | undefined }
  | { readonly type: 'exponential'; readonly base: Duration; readonly factor?: number | undefined }
  | { readonly type: 'fibonacci'; readonly base: Duration }
  | { readonly type: 'decorrelated'; readonly base: Duration }
  | { readonly type: 'list'; readonly delays: readonly Duration[] }
  | {
      readonly type: 'custom';
      /** The strategy itself, or its name in the registry. */
      readonly strategy: DelayStrategyLike | string;
      readonly base?: Duration | undefined;
    };

/** How the delay grows, every duration in milliseconds. */
export type Backoff =
  | { readonly type: 'none' }
  | { readonly type: 'constant'; readonly baseMs: number }
  | { readonly type: 'linear'; readonly baseMs: number; readonly incrementMs: number }
  | { readonly type: 'exponential'; readonly baseMs: number; readonly factor: number }
  | { readonly type: 'fibonacci'; readonly baseMs: number }
  | { readonly type: 'decorrelated'; readonly baseMs: number }
  | { readonly type: 'list'; readonly delaysMs: readonly number[] }
  | {
      readonly type: 'custom';
      readonly name?: string;
      readonly next: DelayStrategy;
      /** Makes a strategy for one call, where the policy has one for each. */
      readonly create?: () => DelayStrategy;
      readonly baseMs: number;
    };

/** The jitters that have a name. */
export const JITTER_NAMES = ['none', 'full', 'equal', 'bounded'] as const;

/**
 * How the delay is spread, as people write it. `{ proportional: 0.1 }` is ± 10 %, `{ down: 0.3 }` is up to 30 % less,
 * `{ plusMinus: '20ms' }` is up to 20 ms less or more.
 */
export type JitterInput =
  | (typeof JITTER_NAMES)[number]
  | { readonly proportional: number }
  | { readonly down: number }
  | { readonly plusMinus: Duration };

/** How the delay is spread, every duration in milliseconds. */
export type Jitter =
  | Exclude<JitterInput, { readonly plusMinus: Duration }>
  | { readonly plusMinusMs: number };

/**
 * Where `maxDelay` cuts. `before-jitter`: jitter spreads below the cap, and keeps spreading when the cap is
 * reached. `after-jitter`: the drawn delay is cut (Jobbers, CMDx). `ignores-jitter`: jitter may go over
 * the cap (Tasker).
 */
export type CapAt = (typeof CAPS)[number];

/** Every value of {@link CapAt}. */
export const CAPS = ['before-jitter', 'after-jitter', 'ignores-jitter'] as const;

/** What a delay asked for by the server does: be a floor, replace our own (capped), or nothing. */
export type RetryAfterMode = (typeof RETRY_AFTER_MODES)[number];

/** Every value of {@link RetryAfterMode}. */
export const RETRY_AFTER_MODES = ['floor', 'replace', 'ignore'] as const;

/** A policy as people write it. Every key is optional; unknown keys are errors. */
export interface PolicyInput {
  /** Never written: a policy that was spread has it. */
  readonly [DEFINED_POLICY]?: never;
  /** Executions in all, the first included; an integer ≥ 1 or `Infinity`. @default 3 */
  readonly maxAttempts?: number | 'Infinity' | undefined;
  /** Wait before the first attempt; `totalTimeout` counts it, and it is shorter. @default 0 */
  readonly initialDelay?: Duration | undefined;
  /** @default { type: 'exponential', base: '100ms', factor: 2 } */
  readonly backoff?: BackoffInput | undefined;
  /** @default 'full' ('none' for decorrelated backoff, which draws by itself, and for `none`) */
  readonly jitter?: JitterInput | undefined;
  /** Lowest delay. @default 0 */
  readonly minDelay?: Duration | undefined;
  /** Highest delay. @default '20s', or the base where that is longer */
  readonly maxDelay?: Duration | undefined;
  /** @default 'before-jitter' */
  readonly capAt?: CapAt | undefined;
  /** Delays are whole multiples of it; 0 is no rounding. @default 0 */
  readonly granularity?: Duration | undefined;
  /** Expected errors: all of them, none, or those that a matcher of the list means. @default 'everything' */
  readonly retryOn?: readonly MatcherInput[] | 'everything' | 'nothing' | undefined;
  /** Errors never retried; beats `retryOn`. @default [] */
  readonly stopOn?: readonly MatcherInput[] | undefined;
  /** Asked last, before any wait; the gate itself or its name in the registry. */
  readonly retryIf?: GateLike | string | undefined;
  /** Longest time one attempt may take. @default 'Infinity' */
  readonly attemptTimeout?: Duration | undefined;
  /** Longest time of all attempts and waits together. @default 'Infinity' */
  readonly totalTimeout?: Duration | undefined;
  /**
   * `true`: an attempt timeout is an expected failure whatever `retryOn` says, unless `stopOn` means it. `false`: it is
   * matched like any other error. @default true
   */
  readonly retryTimeouts?: boolean | undefined;
  readonly retryAfter?:
    | {
        /** A server that asks for more ends the retrying. @default '60s' */
        readonly max?: Duration | undefined;
        /** @default 'floor' */
        readonly mode?: RetryAfterMode | undefined;
      }
    | undefined;
  /** `false`: one execution, never a retry. @default true */
  readonly retryable?: boolean | undefined;
}

declare const DEFINED_POLICY: unique symbol;

/** A key of a policy as people write it. */
export type PolicyKey = Extract<keyof PolicyInput, string>;

/** Opaque: a spread loses the private key and keeps the other, so it is neither a policy nor an input. */
declare abstract class DefinedPolicy {
  private readonly isDefined: true;
}

/** A checked, frozen policy with every default filled in. Made by `definePolicy`, changed by `extendPolicy`. */
export type Policy = DefinedPolicy & { readonly [DEFINED_POLICY]: true };

/** What a {@link Policy} holds, every duration in milliseconds; our own packages read it by `settingsOf`. */
export interface PolicySettings {
  readonly maxAttempts: number;
  readonly initialDelayMs: number;
  readonly backoff: Backoff;
  readonly jitter: Jitter;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  readonly capAt: CapAt;
  readonly granularityMs: number;
  readonly retryOn: readonly Matcher[] | 'everything' | 'nothing';
  readonly stopOn: readonly Matcher[];
  readonly retryIf?: { readonly name?: string; readonly test: Gate } | undefined;
  readonly attemptTimeoutMs: number;
  readonly totalTimeoutMs: number;
  readonly retryTimeouts: boolean;
  readonly retryAfter: { readonly maxMs: number; readonly mode: RetryAfterMode };
  readonly retryable: boolean;
}
