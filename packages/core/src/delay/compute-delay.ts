import { InvalidOptionsError } from '../errors.ts';
import { checkRetry } from '../policy/check-policy.ts';
import type { DelayContext, Policy } from '../policy/policy.ts';
import { read } from '../read.ts';
import { decorrelatedCeiling, growDelay } from './backoff.ts';
import type { Range, Scale } from './jitter.ts';
import { drawBetween, drawJitter, jitterRange, roomForJitter } from './jitter.ts';
import { wholeUnits } from './whole-units.ts';

/**
 * Delay before retry `retry`: backoff → cap → jitter → clamp. Unless the cap comes after it, jitter draws evenly between
 * the lowest delay and the capped amount, so that no limit gathers what was drawn beyond it.
 *
 * Total: any number counts as a retry (rounded down; below 1 and NaN as 1), the result is finite and never NaN.
 * It throws what a custom strategy throws.
 *
 * @param retry - 1 for the wait after the first failed attempt; up to `Number.MAX_SAFE_INTEGER`
 * @returns milliseconds, `minDelayMs ≤ delay ≤ maxDelayMs`, and within `delayBounds(policy, retry)`;
 *   over `maxDelayMs` only with `capAt: 'ignores-jitter'`
 * @throws {InvalidOptionsError} for what is no policy of `definePolicy`
 * @see docs/policies.md
 */
export function computeDelay(policy: Policy, retry: number, context: DelayContext): number {
  checkRetry(policy, retry, 'computeDelay');
  if (typeof read(context, 'random') !== 'function') throw noRandom(context);
  return drawDelay(policy, retry, context);
}

/** The same for what has been checked already. */
export function drawDelay(policy: Policy, retry: number, context: DelayContext): number {
  const amount = drawAmount(policy, retry, context);
  if (policy.jitter === 'none') return clampDelay(policy, amount);

  const scale = scaleOf(policy);
  const jitter = jitterOf(policy);
  const [low, high] = jitterRange(jitter, amount, scale);
  const range = spreadOf(policy, amount);
  const isCut = range[0] !== low || range[1] !== high;
  const random = context.random();
  const drawn = isCut ? drawBetween(range, random, scale) : drawJitter(jitter, amount, random, scale);
  return clampDelay(policy, drawn);
}

function noRandom(value: unknown): InvalidOptionsError {
  const problem = {
    path: 'context',
    value,
    message: 'must have a function random',
    cure: 'Use { random: Math.random }.',
  };
  return new InvalidOptionsError([problem], 'computeDelay');
}

function drawAmount(policy: Policy, retry: number, context: DelayContext): number {
  const { backoff } = policy;
  if (backoff.type !== 'decorrelated') {
    return capBeforeJitter(policy, growDelay(backoff, countedRetry(retry), context));
  }
  const range = decorrelatedRange(policy, backoff.baseMs, context.previousDelayMs);
  return drawBetween(range, context.random(), scaleOf(policy));
}

/**
 * What decorrelated backoff draws from, before jitter: from its base, or the lowest delay, to three times the delay
 * before or the cap. In units of the granularity where there is one.
 */
export function decorrelatedRange(policy: Policy, baseMs: number, previousDelayMs?: number): Range {
  const lowestMs = policy.capAt === 'after-jitter' ? baseMs : Math.max(baseMs, policy.minDelayMs);
  const [floor] = limitsOfJitter(policy);
  const ceilingMs = decorrelatedCeiling(lowestMs, previousDelayMs ?? lowestMs);
  const [low, high] = [capBeforeJitter(policy, lowestMs), capBeforeJitter(policy, ceilingMs)];
  return [Math.max(low, floor), Math.max(high, floor)];
}

/** What jitter draws from around this amount: its own reach, within the limits unless the cap comes after it. */
export function spreadOf(policy: Policy, amount: number): Range {
  const [low, high] = jitterRange(jitterOf(policy), amount, scaleOf(policy));
  const [floor, cap] = limitsOfJitter(policy);
  return [Math.min(Math.max(low, floor), cap), Math.min(Math.max(high, floor), cap)];
}

/** Whether the policy's delays are whole units of its granularity. */
function scaleOf({ granularityMs }: Policy): Scale {
  return granularityMs > 0 ? 'whole' : 'real';
}

/** A whole number from 1 to `Number.MAX_SAFE_INTEGER`, whatever was given. */
export function countedRetry(retry: number): number {
  return retry >= 1 ? Math.min(Math.floor(retry), Number.MAX_SAFE_INTEGER) : 1;
}

/**
 * The amount that jitter starts from: in units of the policy's granularity where it has one, cut to the
 * cap unless the cap comes after the jitter.
 */
export function capBeforeJitter(policy: Policy, grownMs: number): number {
  const { capAt } = policy;
  const capMs = capAt === 'after-jitter' ? Number.MAX_VALUE : Math.min(policy.maxDelayMs, Number.MAX_VALUE);
  const amount = unitsWithin(policy, Math.min(grownMs, capMs));
  if (capAt !== 'before-jitter') return amount;

  return Math.min(amount, roomForJitter(jitterOf(policy), unitsWithin(policy, capMs), scaleOf(policy)));
}

/** Turns units back into milliseconds and holds them within the policy's lowest and highest delay. */
export function clampDelay(policy: Policy, amount: number): number {
  const { granularityMs, minDelayMs } = policy;
  const [floor, cap] = limitsOf(policy);
  // Not `amount < floor`: a broken source of randomness gives NaN, which must not come out.
  const within = amount >= floor ? Math.min(amount, cap) : floor;
  const delayMs = granularityMs > 0 ? within * granularityMs : within;
  // Where doubles end, a product rounds past its limit.
  return Math.min(Math.max(delayMs, minDelayMs), highestMs(policy));
}

function highestMs({ capAt, maxDelayMs }: Policy): number {
  return Math.min(capAt === 'ignores-jitter' ? Infinity : maxDelayMs, Number.MAX_VALUE);
}

/** The lowest and the highest delay, in units where there are any. */
function limitsOf(policy: Policy): Range {
  const { granularityMs, minDelayMs } = policy;
  const cap = unitsWithin(policy, highestMs(policy));
  const floor = granularityMs > 0 ? wholeUnits(minDelayMs, granularityMs) : minDelayMs;
  return [Math.min(floor, cap), cap];
}

/** What jitter has to stay within: nothing but numbers where the limits come after it. */
function limitsOfJitter(policy: Policy): Range {
  return policy.capAt === 'after-jitter' ? [0, Number.MAX_VALUE] : limitsOf(policy);
}

/** Units that fit into that number of milliseconds, or the milliseconds themselves. */
function unitsWithin({ granularityMs }: Policy, ms: number): number {
  return granularityMs > 0 ? Math.floor(ms / granularityMs) : ms;
}

/** The jitter in the numbers that the policy counts in. */
function jitterOf(policy: Policy): Policy['jitter'] {
  const { jitter } = policy;
  if (typeof jitter === 'string' || !('plusMinusMs' in jitter)) return jitter;
  return { plusMinusMs: unitsWithin(policy, jitter.plusMinusMs) };
}
