import { LAST_WAIT_CUT } from '../deadline.ts';
import { choice, executions, factor, seconds, value, where } from '../option.ts';
import { defineSystem, exponential, list, type System, written } from '../system.ts';
import { asIntervals } from '../written-values.ts';

interface Interval {
  readonly delays: readonly number[];
  /** Whether it gives up after the last delay of a list. */
  readonly isList: boolean;
}

function asInterval(given: unknown): Interval | undefined {
  const delays = asIntervals(given);
  return delays && { delays, isList: Array.isArray(given) };
}

/** backoff (Python): the arguments of `on_exception`. */
export const pythonBackoff: System = /* @__PURE__ */ defineSystem({
  name: 'python-backoff',
  title: 'backoff (Python)',
  version: '2.2.1',
  fidelity: 'exact',
  remarks: [
    'Full jitter is the default of every generator, also of `constant`. `random_jitter` is added after `max_value`.',
  ],
  options: {
    generator: choice(['expo', 'fibo', 'constant', 'decay', 'runtime'], 'expo', 'the wait generator'),
    base: factor(2, 'of `expo`'),
    factor: seconds(1_000, 'the first delay of `expo`'),
    interval: value<Interval>(
      { unit: 's', parse: asInterval, must: 'seconds, or a list of seconds', shown: '1' },
      { delays: [1_000], isList: false },
      'of `constant`; it gives up after the last one of a list',
    ),
    initial_value: seconds(1_000, 'the first delay of `decay`'),
    decay_factor: factor(1, 'of `decay`, whose delays are divided by `e` to the power of it'),
    min_value: seconds(0, 'the shortest delay of `decay` before jitter'),
    max_value: seconds(Infinity, 'the longest delay before jitter'),
    jitter: where(
      null,
      'None',
      choice(['full_jitter', 'random_jitter', 'None'], 'full_jitter', 'how a delay is spread'),
    ),
    max_tries: where(0, Infinity, executions(Infinity, 'all executions; 0: no limit')),
    max_time: seconds(Infinity, 'the longest time of all attempts together'),
  },
  deadline: { option: 'max_time', limitOf: ({ max_time }) => max_time, there: LAST_WAIT_CUT },
  policy: ({ generator, interval, max_value, jitter, max_tries, ...values }) => {
    const { initial_value, decay_factor, min_value } = values;
    const decayed = (retry: number): number => initial_value * Math.exp((1 - retry) * decay_factor);
    const backoffs = {
      expo: exponential(values.factor, values.base),
      fibo: { type: 'fibonacci', base: 1_000 },
      constant: list(interval.delays),
      decay: written((retry) => Math.max(decayed(retry), min_value)),
      runtime: list(interval.delays),
    } as const;
    const isLimited = generator === 'constant' && interval.isList;
    return {
      maxAttempts: isLimited ? Math.min(max_tries, interval.delays.length + 1) : max_tries,
      backoff: backoffs[generator],
      jitter: jitter === 'full_jitter' ? 'full' : jitter === 'None' ? 'none' : { plus: 1_000 },
      maxDelay: generator === 'expo' || generator === 'fibo' ? max_value : Infinity,
      capAt: 'ignores-jitter',
    };
  },
});
