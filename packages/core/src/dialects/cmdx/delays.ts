import type { BackoffInput, JitterInput } from '../../policy/delays.ts';
import type { PolicyInput } from '../../policy/policy.ts';
import type { DelayStrategy } from '../../policy/strategy.ts';
import type { CmdxStrategyCall, CmdxVersion } from './options.ts';
import type { CmdxStrategy } from './strategy.ts';

/** The settings that the delays of a CMDx policy depend on. */
interface CmdxDelays {
  readonly delayMs: number;
  readonly maxDelayMs: number;
  readonly strategy: CmdxStrategy | undefined;
  readonly version: CmdxVersion;
}

/** The largest power of two and the largest Fibonacci number (the 78th) by which version main multiplies a delay. */
const LAST_POWER = 2 ** 30;
const LAST_FIBONACCI = 8_944_394_323_791_464;

/** Returns CMDx's delays as policy options: none unless the delay is positive, else a strategy with a cap on its result. */
export function cmdxDelays(delays: CmdxDelays): PolicyInput {
  const { delayMs, maxDelayMs } = delays;
  if (!(delayMs > 0)) return { backoff: { type: 'none' }, jitter: 'none' };
  const [backoff, jitter] = strategyOf(delays);
  return { backoff, jitter, maxDelay: Math.min(maxDelayMs, saturationOf(delays)), capAt: 'after-jitter' };
}

/** Returns the strategy as backoff and jitter; the random strategies are a constant backoff with jitter. */
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
      // v2.0.1 would draw below the base after a delay of less than a third of it, which never occurs.
      return [{ type: 'decorrelated', base }, 'none'];
    case 'custom':
      return [{ type: 'custom', strategy: inSeconds(strategy.call, base), base }, 'none'];
  }
}

/** Returns the delay at which version main stops growing: for delays that only grow, a cap is equivalent. */
function saturationOf({ strategy, delayMs, version }: CmdxDelays): number {
  if (version === 'v2.0.1') return Infinity;
  if (strategy?.type === 'exponential') return delayMs * LAST_POWER;
  return strategy?.type === 'fibonacci' ? delayMs * LAST_FIBONACCI : Infinity;
}

/** Adapts a CMDx strategy, which counts from 0 and returns seconds; NaN makes the policy use the base. */
function inSeconds(call: CmdxStrategyCall, baseMs: number): DelayStrategy {
  return (retry, { previousDelayMs }) => {
    const previous = previousDelayMs === undefined ? undefined : previousDelayMs / 1_000;
    const seconds = call(retry - 1, baseMs / 1_000, previous);
    return typeof seconds === 'number' ? seconds * 1_000 : Number.NaN;
  };
}
