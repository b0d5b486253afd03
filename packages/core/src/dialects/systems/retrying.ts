import { WAIT_NOT_COUNTED } from '../deadline.ts';
import { warnIf } from '../dialect.ts';
import { executions, ms } from '../option.ts';
import {
  constant,
  defineSystem,
  exponential,
  linear,
  type System,
  type SystemPolicy,
  written,
} from '../system.ts';

interface Waits {
  readonly fixed?: number | undefined;
  readonly random?: readonly [min: number, max: number] | undefined;
  readonly incrementing?:
    | { readonly start: number; readonly increment: number; readonly most: number }
    | undefined;
  readonly exponential?: { readonly multiplier: number; readonly most: number } | undefined;
}

/** The longest of several waits, retry by retry; one alone is what it is. */
function backoffOf({
  fixed = 0,
  random: [least] = [0, 0],
  incrementing,
  exponential: doubled,
}: Waits): Pick<SystemPolicy, 'maxDelay' | 'backoff'> {
  const alone = Math.max(fixed, least);
  if (incrementing === undefined && doubled === undefined) return { backoff: constant(alone) };
  if (alone === 0 && incrementing === undefined && doubled !== undefined) {
    return { backoff: exponential(2 * doubled.multiplier), maxDelay: doubled.most };
  }
  if (alone === 0 && incrementing !== undefined && doubled === undefined) {
    return { backoff: linear(incrementing.start, incrementing.increment), maxDelay: incrementing.most };
  }
  const incremented = (retry: number): number =>
    incrementing === undefined
      ? 0
      : Math.min(incrementing.start + incrementing.increment * (retry - 1), incrementing.most);
  const grown = (retry: number): number =>
    doubled === undefined ? 0 : Math.min(doubled.multiplier * 2 ** retry, doubled.most);
  return { backoff: written((retry) => Math.max(alone, incremented(retry), grown(retry))) };
}

/** How far above all other waits of the first retry the random one may be. */
function drawnAbove({ fixed = 0, random = [0, 0], incrementing, exponential: doubled }: Waits): number {
  const incremented = incrementing === undefined ? 0 : Math.min(incrementing.start, incrementing.most);
  const grown = doubled === undefined ? 0 : Math.min(2 * doubled.multiplier, doubled.most);
  return Math.max(random[1] - Math.max(fixed, random[0], incremented, grown), 0);
}

interface WaitValues {
  readonly wait_fixed: number | undefined;
  readonly wait_random_min: number | undefined;
  readonly wait_random_max: number | undefined;
  readonly wait_incrementing_start: number | undefined;
  readonly wait_incrementing_increment: number | undefined;
  readonly wait_incrementing_max: number;
  readonly wait_exponential_multiplier: number | undefined;
  readonly wait_exponential_max: number | undefined;
}

function waitsOf(values: WaitValues): Waits {
  const { wait_random_min: least, wait_random_max: highest } = values;
  const { wait_incrementing_start: start, wait_incrementing_increment: increment } = values;
  const { wait_exponential_multiplier: multiplier, wait_exponential_max: most } = values;
  const isDrawn = least !== undefined || highest !== undefined;
  const isIncrementing = start !== undefined || increment !== undefined;
  const isExponential = multiplier !== undefined || most !== undefined;
  return {
    fixed: values.wait_fixed,
    random: isDrawn ? [least ?? 0, highest ?? 1_000] : undefined,
    incrementing: isIncrementing
      ? { start: start ?? 0, increment: increment ?? 100, most: values.wait_incrementing_max }
      : undefined,
    exponential: isExponential ? { multiplier: multiplier ?? 1, most: most ?? Infinity } : undefined,
  };
}

/** retrying: the arguments of its decorator, in milliseconds. */
export const retrying: System = /* @__PURE__ */ defineSystem({
  name: 'retrying',
  title: 'retrying',
  version: '1.3.3',
  fidelity: 'exact',
  remarks: ['Of several waits the longest holds. Each delay gets up to `wait_jitter_max` more.'],
  options: {
    stop_max_attempt_number: executions(Infinity, 'all executions'),
    stop_max_delay: ms(Infinity, 'the longest time of all attempts together'),
    wait_fixed: ms(undefined, 'a constant delay'),
    wait_random_min: ms(undefined, 'the lowest of a delay that is drawn'),
    wait_random_max: ms(undefined, 'the highest of it; 1000 by default'),
    wait_incrementing_start: ms(undefined, 'the first delay'),
    wait_incrementing_increment: ms(undefined, 'what each delay is longer; 100 by default'),
    wait_incrementing_max: ms(Infinity, 'the longest of these'),
    wait_exponential_multiplier: ms(undefined, 'half of the first delay'),
    wait_exponential_max: ms(undefined, 'the longest of these'),
    wait_jitter_max: ms(0, 'up to which a delay is longer'),
  },
  deadline: {
    option: 'stop_max_delay',
    limitOf: ({ stop_max_delay }) => stop_max_delay,
    there: WAIT_NOT_COUNTED,
  },
  policy: (values) => {
    const waits = waitsOf(values);
    return {
      maxAttempts: values.stop_max_attempt_number,
      ...backoffOf(waits),
      jitter: { plus: values.wait_jitter_max + drawnAbove(waits) },
      capAt: 'ignores-jitter',
    };
  },
  warnings: (values) => {
    const waits = waitsOf(values);
    const { fixed = 0, random: [least] = [0], incrementing, exponential: doubled } = waits;
    const isCompared = fixed > least || incrementing !== undefined || doubled !== undefined;
    return [
      warnIf(isCompared && drawnAbove(waits) > 0, {
        code: 'DIFFERS',
        path: 'wait_random_max',
        message: 'there each drawn delay is compared with the other waits; here it is drawn on top of them',
        cure: 'Compare them by a preview, or use one wait alone.',
      }),
    ];
  },
});
