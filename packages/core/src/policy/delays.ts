import type { Duration } from '../duration.ts';
import type { Matcher } from '../matching/matcher.ts';
import type { DelayStrategy, DelayStrategyLike } from './strategy.ts';

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
