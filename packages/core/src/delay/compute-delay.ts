import { RetryError } from '../errors.ts';
import { A_DELAY, type Arguments, checkArguments, optional } from '../fields/check-arguments.ts';
import type { Policy, PolicySettings } from '../policy/policy.ts';
import { checkRetry } from '../policy/settings.ts';
import type { DelayContext } from '../policy/strategy.ts';
import { read } from '../read.ts';
import { askRandom, askStrategy, decorrelatedCeiling, growDelay } from './backoff.ts';
import { backoffRetry, delaysAt } from './delays-at.ts';
import type { Range, Scale } from './jitter.ts';
import { drawBetween, drawJitter, jitterRange, roomForJitter, timesOf, wholeUnits } from './jitter.ts';

/**
 * Computes the delay before a retry: backoff → cap → jitter → clamp. Except with `capAt: 'after-jitter'`, jitter draws
 * uniformly within `minDelay` and the capped delay, so that draws do not pile up at a limit.
 *
 * Of a policy with `delays`, the error of the context chooses the entry; without one, no entry applies. Accepts any number as `retry` (rounded down; NaN and numbers below 1 count as 1). The result is finite and never NaN.
 * Errors of a custom strategy pass through.
 *
 * @param retry - 1 for the wait after the first failed attempt; up to `Number.MAX_SAFE_INTEGER`
 * @returns milliseconds, `minDelayMs ≤ delay ≤ maxDelayMs`, and within `delayBounds(policy, retry)`;
 *   over `maxDelayMs` only with `capAt: 'ignores-jitter'`
 * @throws {InvalidOptionsError} when `policy` was not made by `definePolicy`, `random` is missing, or `previousDelayMs`
 *   is no number
 * @throws {RetryError} with the code `STRATEGY_STOPPED` when a custom strategy answers `'stop'`: there is no delay
 * @see docs/policies.md
 */
export function computeDelay(policy: Policy, retry: number, context: DelayContext): number {
  const settings = checkRetry(policy, retry, 'computeDelay');
  if (!isContext(context)) checkArguments('computeDelay', argumentsOf(context));
  const delayMs = drawDelay(settings, retry, context);
  if (delayMs !== undefined) return delayMs;
  throw new RetryError('STRATEGY_STOPPED', `the strategy ends the retrying before retry ${retry}`);
}

/**
 * Computes the delay as `computeDelay` does, from settings that have been checked.
 *
 * @returns `undefined` when a custom strategy ends the retrying
 */
export function drawDelay(
  settings: PolicySettings,
  retry: number,
  context: DelayContext,
): number | undefined {
  const counted = backoffRetry(settings, retry);
  if (counted === 0) return clampDelay(settings, 0);
  const policy = delaysAt(settings, counted, context.error);
  const amount = drawAmount(policy, counted, context);
  if (amount === undefined) return undefined;
  if (policy.jitter === 'none') return clampDelay(policy, amount);

  const scale = scaleOf(policy);
  const jitter = jitterOf(policy);
  const [low, high] = jitterRange(jitter, amount, scale);
  const range = spreadOf(policy, amount);
  const isCut = range[0] !== low || range[1] !== high;
  const random = askRandom(context);
  const drawn = isCut ? drawBetween(range, random, scale) : drawJitter(jitter, amount, random, scale);
  return clampDelay(policy, drawn);
}

function isContext(context: unknown): boolean {
  return hasRandom(context) && A_PREVIOUS.accepts(read(context, 'previousDelayMs'));
}

function hasRandom(context: unknown): boolean {
  return typeof read(context, 'random') === 'function';
}

function argumentsOf(context: unknown): Arguments {
  const withRandom = {
    accepts: hasRandom,
    message: 'must have a function random',
    cure: 'Use { random: Math.random }.',
  };
  return {
    context: [context, withRandom],
    'context.previousDelayMs': [read(context, 'previousDelayMs'), A_PREVIOUS],
  };
}

const A_PREVIOUS = /* @__PURE__ */ optional(A_DELAY);

function drawAmount(policy: PolicySettings, retry: number, context: DelayContext): number | undefined {
  const { backoff } = policy;
  if (backoff.type === 'decorrelated') {
    // The delay before an immediate first retry is no delay to grow from.
    const previousMs = policy.immediateFirst && retry === 1 ? undefined : context.previousDelayMs;
    const range = decorrelatedRange(policy, backoff.baseMs, previousMs);
    return drawBetween(range, askRandom(context), scaleOf(policy));
  }
  const grownMs =
    backoff.type === 'custom' ? askStrategy(backoff, retry, context) : growDelay(backoff, retry);
  return grownMs === undefined ? undefined : capBeforeJitter(policy, grownMs);
}

/**
 * Returns the range that decorrelated backoff draws from, before jitter: from its base or `minDelay`, the larger, to three
 * times the previous delay or the cap, the smaller. In units of the granularity if there is one.
 */
export function decorrelatedRange(policy: PolicySettings, baseMs: number, previousDelayMs?: number): Range {
  const lowestMs = policy.capAt === 'after-jitter' ? baseMs : Math.max(baseMs, policy.minDelayMs);
  const [floor] = limitsOfJitter(policy);
  const ceilingMs = decorrelatedCeiling(lowestMs, previousDelayMs ?? lowestMs);
  const [low, high] = [capBeforeJitter(policy, lowestMs), capBeforeJitter(policy, ceilingMs)];
  return [Math.max(low, floor), Math.max(high, floor)];
}

/** Returns the range that jitter draws from for this amount, within the limits unless they apply after the jitter. */
export function spreadOf(policy: PolicySettings, amount: number): Range {
  const [low, high] = jitterRange(jitterOf(policy), amount, scaleOf(policy));
  const [floor, cap] = limitsOfJitter(policy);
  return [Math.min(Math.max(low, floor), cap), Math.min(Math.max(high, floor), cap)];
}

/** Returns whether delays are drawn as whole units of the granularity. */
function scaleOf({ granularityMs }: PolicySettings): Scale {
  return granularityMs > 0 ? 'whole' : 'real';
}

/**
 * Returns the amount that jitter starts from: in units of the granularity if there is one, capped unless the cap applies
 * after the jitter.
 */
export function capBeforeJitter(policy: PolicySettings, grownMs: number): number {
  const { capAt } = policy;
  const capMs = capAt === 'after-jitter' ? Number.MAX_VALUE : Math.min(policy.maxDelayMs, Number.MAX_VALUE);
  const amount = unitsWithin(policy, Math.min(grownMs, capMs));
  // Without jitter there is nothing to make room for.
  if (capAt !== 'before-jitter' || policy.jitter === 'none') return amount;

  return Math.min(amount, roomForJitter(jitterOf(policy), unitsWithin(policy, capMs), scaleOf(policy)));
}

/** Converts units to milliseconds and clamps them to the lowest and the highest delay. */
export function clampDelay(policy: PolicySettings, amount: number): number {
  const { granularityMs, minDelayMs } = policy;
  const highest = highestMs(policy);
  if (!(granularityMs > 0)) return clamp(amount, Math.min(minDelayMs, highest), highest);
  const cap = unitsWithin(policy, highest);
  const within = clamp(amount, lowestUnits(policy, cap), cap);
  // Near the largest double, the product can round past the limit.
  return Math.min(Math.max(within * granularityMs, minDelayMs), highest);
}

function clamp(amount: number, floor: number, cap: number): number {
  // Not `amount < floor`: a broken `random` may return NaN, which must become the floor.
  return amount >= floor ? Math.min(amount, cap) : floor;
}

function highestMs({ capAt, maxDelayMs }: PolicySettings): number {
  return Math.min(capAt === 'ignores-jitter' ? Infinity : maxDelayMs, Number.MAX_VALUE);
}

/** Returns the lowest and the highest delay, in units of the granularity if there is one. */
function limitsOf(policy: PolicySettings): Range {
  const cap = unitsWithin(policy, highestMs(policy));
  return [lowestUnits(policy, cap), cap];
}

function lowestUnits({ granularityMs, minDelayMs }: PolicySettings, cap: number): number {
  return Math.min(granularityMs > 0 ? wholeUnits(minDelayMs, granularityMs) : minDelayMs, cap);
}

/** Returns the limits of a jitter's draw: none but finite numbers ≥ 0 if the cap applies after the jitter. */
function limitsOfJitter(policy: PolicySettings): Range {
  return policy.capAt === 'after-jitter' ? [0, Number.MAX_VALUE] : limitsOf(policy);
}

/** Returns how many units of the granularity fit into the milliseconds; without a granularity, the milliseconds. */
function unitsWithin({ granularityMs }: PolicySettings, ms: number): number {
  return granularityMs > 0 ? Math.floor(ms / granularityMs) : ms;
}

/** Returns the jitter with its reach in units of the granularity if there is one. */
function jitterOf(policy: PolicySettings): PolicySettings['jitter'] {
  const { jitter, granularityMs } = policy;
  const times = granularityMs > 0 ? timesOf(jitter) : undefined;
  if (times === undefined) return jitter;
  return { minusMs: unitsWithin(policy, times[0]), plusMs: unitsWithin(policy, times[1]) };
}
