import type { BackoffInput, DelayStrategy, JitterInput, PolicyInput } from '../../policy/policy.ts';
import type { CmdxStrategyCall, CmdxVersion } from './options.ts';
import type { CmdxStrategy } from './strategy.ts';

/** What the delays of a CMDx policy follow from. */
export interface CmdxDelays {
  readonly delayMs: number;
  readonly maxDelayMs: number;
  readonly strategy: CmdxStrategy | undefined;
  readonly version: CmdxVersion;
}

/** The largest power of two and the largest Fibonacci number (the 78th) that main multiplies a delay by. */
const LAST_POWER = 2 ** 30;
const LAST_FIBONACCI = 8_944_394_323_791_464;

/** CMDx's delays: no wait at all without a positive delay, else a strategy whose result is cut at the end. */
export function cmdxDelays(delays: CmdxDelays): PolicyInput {
  const { delayMs, maxDelayMs } = delays;
  if (!(delayMs > 0)) return { backoff: { type: 'none' }, jitter: 'none' };
  const [backoff, jitter] = strategyOf(delays);
  return { backoff, jitter, maxDelay: Math.min(maxDelayMs, saturationOf(delays)), capAt: 'after-jitter' };
}

/** The strategy as our backoff and jitter; the random ones spread a constant. */
function strategyOf({ strategy, delayMs: base }: CmdxDelays): readonly [BackoffInput, JitterInput] {
  switch (strategy?.type) {
    case undefined:
    case 'ignored':
      return [{ type: 'constant', base }, 'none'];
    case 'exponential':
    case 'linear':
    case 'fibonacci':
      return [{ type: strategy.type, base }, 'none'];
    case 'half_random':
      return [{ type: 'constant', base }, 'equal'];
    case 'full_random':
      return [{ type: 'constant', base }, 'full'];
    case 'bounded_random':
      return [{ type: 'constant', base }, 'bounded'];
    case 'decorrelated_jitter':
      // v2.0.1 would draw below the base after a delay of less than a third of it; no run has such a delay.
      return [{ type: 'decorrelated', base }, 'none'];
    case 'custom':
      return [{ type: 'custom', strategy: inSeconds(strategy.call, base), base }, 'none'];
  }
}

/** Exponents stop growing on main; as these delays only grow, a cap at the last one says the same. */
function saturationOf({ strategy, delayMs, version }: CmdxDelays): number {
  if (version === 'v2.0.1') return Infinity;
  if (strategy?.type === 'exponential') return delayMs * LAST_POWER;
  return strategy?.type === 'fibonacci' ? delayMs * LAST_FIBONACCI : Infinity;
}

/** What people wrote for CMDx counts from 0, in seconds; what is no number becomes the base. */
function inSeconds(call: CmdxStrategyCall, baseMs: number): DelayStrategy {
  return (retry, { previousDelayMs }) => {
    const previous = previousDelayMs === undefined ? undefined : previousDelayMs / 1_000;
    const seconds = call(retry - 1, baseMs / 1_000, previous);
    return typeof seconds === 'number' ? seconds * 1_000 : Number.NaN;
  };
}
