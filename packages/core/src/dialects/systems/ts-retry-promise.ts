import { choice, ms, retries, where } from '../option.ts';
import { constant, defineSystem, exponential, linear, type System } from '../system.ts';

/** ts-retry-promise: its configuration. */
export const tsRetryPromise: System = /* @__PURE__ */ defineSystem({
  name: 'ts-retry-promise',
  title: 'ts-retry-promise',
  version: '0.8.1',
  fidelity: 'exact',
  remarks: ['It also waits after the last failure, before it rejects.'],
  options: {
    retries: where('INFINITELY', Infinity, retries(10, "executions after the first; 'INFINITELY': no limit")),
    delay: ms(100, 'the first delay'),
    backoff: choice(['FIXED', 'LINEAR', 'EXPONENTIAL'], 'FIXED', '`d`, `d × n` or `d ^ n` in milliseconds'),
    maxBackOff: ms(300_000, 'the longest delay'),
    timeout: where(
      'INFINITELY',
      Infinity,
      ms(60_000, "the longest time of all attempts together; 'INFINITELY': no limit"),
    ),
  },
  deadline: {
    option: 'timeout',
    limitOf: ({ timeout }) => timeout,
    there:
      'there the call ends at the limit, also in a wait, and a running attempt goes on unseen; here it ends before a wait that leads over it',
  },
  policy: ({ delay, backoff, maxBackOff, ...values }) => ({
    maxAttempts: values.retries,
    backoff:
      backoff === 'FIXED'
        ? constant(delay)
        : backoff === 'LINEAR'
          ? linear(delay)
          : exponential(delay, delay),
    maxDelay: maxBackOff,
  }),
});
