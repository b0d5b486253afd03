import { LAST_WAIT_CUT } from '../deadline.ts';
import { choice, executions, factor, seconds, where } from '../option.ts';
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
    max_tries: where(0, Infinity, executions(Infinity, 'all executions; 0: no limit')),
    max_time: seconds(Infinity, 'the longest time of all attempts together'),
  },
  deadline: { option: 'max_time', limitOf: ({ max_time }) => max_time, there: LAST_WAIT_CUT },
  policy: ({ generator, base, factor: first, interval, max_value, jitter, max_tries }) => ({
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
  }),
});
