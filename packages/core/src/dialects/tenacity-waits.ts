import type { JitterInput } from '../policy/delays.ts';
import { asAmount, type Call, type Signatures } from './calls.ts';
import { constant, exponential, linear, type SystemPolicy, written } from './system.ts';

/** One wait of tenacity: what it surely is before each retry, and what is drawn on top of it. */
interface Wait {
  readonly delayOf: (retry: number) => number;
  readonly plusMs: number;
  /** What it is as a whole, if nothing is added to it. */
  readonly alone: SystemPolicy;
}

const MS = 1_000;

/** Returns the delays of a sum of waits. */
export function tenacityPolicy(calls: readonly Call[], context: WaitContext): SystemPolicy {
  const waits = calls.map((call) => waitOf(call, context));
  const [only] = waits;
  if (only === undefined) return { backoff: { type: 'none' } };
  if (waits.length === 1) return only.alone;
  const jitter: JitterInput = { plus: sumOf(waits.map(({ plusMs }) => plusMs)) };
  const delayOf = (retry: number): number => sumOf(waits.map((wait) => wait.delayOf(retry)));
  const isConstant = delayOf(1) === delayOf(2) && delayOf(2) === delayOf(40);
  return { backoff: isConstant ? constant(delayOf(1)) : written(delayOf), jitter };
}

/** Returns whether a sum has a wait whose drawn part changes from retry to retry, which the jitter of a policy does not. */
export function isUnevenSum(calls: readonly Call[]): boolean {
  return calls.length > 1 && calls.some(isUneven);
}

function isUneven({ name, given }: Call): boolean {
  if (name === 'wait_exponential_jitter') return 'max' in given || 'min' in given;
  return name === 'wait_random_exponential' || name === 'wait_full_jitter';
}

/** Returns an argument of a call by its name; seconds where it is a time. */
type Argument = (key: string, fallback: number) => number;

/** What a wait depends on besides its arguments. */
interface WaitContext {
  readonly version: '8' | 'main';
}

const WAITS: Readonly<Record<string, (at: Argument, context: WaitContext) => Wait>> = {
  wait_none: () => steady(() => 0, { backoff: { type: 'none' } }),
  wait_fixed: (at) => steady(() => at('wait', 0) * MS, { backoff: constant(at('wait', 0) * MS) }),
  wait_random: (at) => {
    const [min, max] = [at('min', 0) * MS, at('max', 1) * MS];
    const plusMs = Math.max(max - min, 0);
    return { delayOf: () => min, plusMs, alone: { backoff: constant(min), jitter: { plus: plusMs } } };
  },
  wait_incrementing: (at) => {
    const [start, increment] = [at('start', 0) * MS, at('increment', 100) * MS];
    const max = at('max', Infinity) * MS;
    const delayOf = (retry: number): number => Math.max(Math.min(start + increment * (retry - 1), max), 0);
    const backoff = increment < 0 ? written(delayOf) : linear(start, increment);
    return steady(delayOf, { backoff, maxDelay: max });
  },
  wait_exponential: (at) => {
    const { base, by, max, min } = exponentialOf(at);
    return steady(clamped({ base, by, max, min }), {
      backoff: exponential(base, by),
      minDelay: min,
      maxDelay: max,
    });
  },
  wait_random_exponential: randomExponential,
  wait_full_jitter: randomExponential,
  wait_exponential_jitter: (at) => {
    const [initial, max] = [at('initial', 1) * MS, at('max', Infinity) * MS];
    const [by, plusMs, min] = [at('exp_base', 2), at('jitter', 1) * MS, at('min', 0) * MS];
    const jitter = { plus: plusMs };
    const limits = { minDelay: min, maxDelay: Math.max(min, max), capAt: 'after-jitter' } as const;
    const delayOf = (retry: number): number => Math.min(initial * by ** (retry - 1), max);
    return { delayOf, plusMs, alone: { backoff: exponential(initial, by), jitter, ...limits } };
  },
};

const EXPONENTIAL = { multiplier: asAmount, max: asAmount, exp_base: asAmount, min: asAmount };

/** The waits that can be read, with their parameters in order. */
export const TENACITY_WAITS: Signatures = {
  wait_none: {},
  wait_fixed: { wait: asAmount },
  wait_random: { min: asAmount, max: asAmount },
  wait_incrementing: { start: asAmount, increment: asNumber, max: asAmount },
  wait_exponential: EXPONENTIAL,
  wait_random_exponential: EXPONENTIAL,
  wait_full_jitter: EXPONENTIAL,
  wait_exponential_jitter: {
    initial: asAmount,
    max: asAmount,
    exp_base: asAmount,
    jitter: asAmount,
    min: asAmount,
  },
};

function asNumber(written: number | string): number | undefined {
  return typeof written === 'number' ? written : undefined;
}

function waitOf({ name, given }: Call, context: WaitContext): Wait {
  const at: Argument = (key, fallback) => given[key] ?? fallback;
  const read = WAITS[name] ?? (() => steady(() => 0, { backoff: { type: 'none' } }));
  return read(at, context);
}

function steady(delayOf: Wait['delayOf'], alone: SystemPolicy): Wait {
  return { delayOf, plusMs: 0, alone };
}

/** Until 8.2.1, `min` only raises the end of the range; the main branch draws from it on. */
function randomExponential(at: Argument, { version }: WaitContext): Wait {
  const { base, by, max, min } = exponentialOf(at);
  const delayOf = clamped({ base, by, max, min });
  const isListed = version === '8' && min > 0;
  const limits = version === 'main' ? { minDelay: min, maxDelay: max } : { maxDelay: max };
  const backoff = isListed ? written(delayOf) : exponential(base, by);
  return { delayOf: () => 0, plusMs: delayOf(1), alone: { backoff, jitter: 'full', ...limits } };
}

function clamped({ base, by, max, min }: Exponential): (retry: number) => number {
  return (retry) => Math.max(min, Math.min(base * by ** (retry - 1), max));
}

interface Exponential {
  readonly base: number;
  readonly by: number;
  readonly max: number;
  readonly min: number;
}

function exponentialOf(at: Argument): Exponential {
  const min = at('min', 0) * MS;
  const max = Math.max(at('max', Infinity) * MS, min);
  return { base: at('multiplier', 1) * MS, max, by: at('exp_base', 2), min };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
