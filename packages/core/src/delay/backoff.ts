import { refusePromise } from '../matching/answer.ts';
import type { Backoff } from '../policy/delays.ts';
import type { DelayContext } from '../policy/strategy.ts';

/** 2 ** 30 is the largest power of two in a signed 32-bit integer, on which `<<` works. */
const LAST_SHIFT = 30;

/** AWS's decorrelated jitter draws between the base and this many times the previous delay. */
const DECORRELATED_GROWTH = 3;

type CustomBackoff = Extract<Backoff, { readonly type: 'custom' }>;

/** A backoff whose delay depends on the number of the retry only. */
export type CountedBackoff = Exclude<Backoff, { readonly type: 'custom' | 'decorrelated' }>;

/**
 * Returns the delay before retry `retry` (counted from 1) without jitter, limits and rounding: `0 ≤ ms ≤ Infinity`.
 *
 * @see docs/sources.md#backoff
 */
export function growDelay(backoff: CountedBackoff, retry: number): number {
  switch (backoff.type) {
    case 'none':
      return 0;
    case 'constant':
      return backoff.baseMs;
    case 'linear':
      return backoff.baseMs + backoff.incrementMs * (retry - 1);
    case 'exponential':
      return (backoff.offsetMs ?? 0) + product(backoff.baseMs, power(backoff.factor, retry - 1));
    case 'polynomial':
      return (
        backoff.offsetMs + product(backoff.baseMs, Math.max(retry - 1 + backoff.from, 0) ** backoff.exponent)
      );
    case 'fibonacci':
      return product(backoff.baseMs, fibonacci(retry));
    case 'list':
      return backoff.delaysMs[Math.min(retry, backoff.delaysMs.length) - 1] ?? 0;
  }
}

/** 0 × Infinity is NaN: a base of 0 stays 0 however large the number. */
function product(baseMs: number, times: number): number {
  return baseMs === 0 ? 0 : baseMs * times;
}

/** Returns the delay that a custom strategy answers, `0 ≤ ms < Infinity`; `undefined` if it stops the retrying. */
export function askStrategy(
  { next, baseMs }: CustomBackoff,
  retry: number,
  context: DelayContext,
): number | undefined {
  const answer = next(retry, { ...context, baseMs });
  if (answer === 'stop') return undefined;
  if (typeof answer === 'object') refusePromise(answer);
  return Number.isFinite(answer) ? Math.max(answer, 0) : baseMs;
}

/** Returns a random number for a draw. A promise is refused: nothing would handle its rejection. */
export function askRandom({ random }: Pick<DelayContext, 'random'>): number {
  const answer = random();
  if (typeof answer === 'object') refusePromise(answer, 'random must return a number');
  return answer;
}

/** `factor ** exponent`, with a shift for factor 2: in V8, `**` takes longer than the rest of a delay. */
function power(factor: number, exponent: number): number {
  return factor === 2 && exponent <= LAST_SHIFT ? 1 << exponent : factor ** exponent;
}

/** Returns the highest delay that decorrelated backoff can draw after one of `previousDelayMs`. */
export function decorrelatedCeiling(baseMs: number, previousDelayMs: number): number {
  // `|| 0` replaces NaN; MAX_VALUE keeps the range finite.
  return Math.min(Math.max(previousDelayMs * DECORRELATED_GROWTH || 0, baseMs), Number.MAX_VALUE);
}

/** Returns 1, 1, 2, 3, 5, … for index 1, 2, 3, …; `Infinity` beyond the range of a double. */
function fibonacci(index: number): number {
  let current = 1;
  let next = 1;
  for (let step = 1; step < index && current < Infinity; step += 1) [current, next] = [next, current + next];
  return current;
}
