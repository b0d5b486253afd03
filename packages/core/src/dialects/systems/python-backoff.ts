import { choice, executions, factor, seconds } from '../option.ts';
import { constant, defineSystem, exponential, type System } from '../system.ts';

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
    generator: choice(['expo', 'fibo', 'constant', 'runtime'], 'expo', 'the wait generator'),
    base: factor(2, 'of `expo`'),
    factor: seconds(1_000, 'the first delay of `expo`'),
    interval: seconds(1_000, 'of `constant`'),
    max_value: seconds(Infinity, 'the longest delay before jitter'),
    jitter: choice(['full_jitter', 'random_jitter', 'None'], 'full_jitter', 'how a delay is spread'),
    max_tries: executions(Infinity, 'all executions'),
    max_time: seconds(Infinity, 'the longest time of all attempts together'),
  },
  policy: ({ generator, base, factor: first, interval, max_value, jitter, max_tries, max_time }) => ({
    maxAttempts: max_tries,
    backoff:
      generator === 'fibo'
        ? { type: 'fibonacci', base: 1_000 }
        : generator === 'expo'
          ? exponential(first, base)
          : constant(interval),
    jitter: jitter === 'full_jitter' ? 'full' : jitter === 'None' ? 'none' : { plus: 1_000 },
    maxDelay: generator === 'constant' ? Infinity : max_value,
    capAt: 'ignores-jitter',
    ...(max_time > 0 && { totalTimeout: max_time }),
  }),
});
