import { ATTEMPT_GOES_ON } from '../deadline.ts';
import { executions, factor, seconds, share } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** retriable (Ruby): its options. */
export const retriable: System = /* @__PURE__ */ defineSystem({
  name: 'retriable',
  title: 'retriable',
  version: '3.1.2',
  fidelity: 'exact',
  remarks: ['A delay may be over `max_interval` by its jitter.'],
  options: {
    tries: executions(3, 'all executions'),
    base_interval: seconds(500, 'the first delay'),
    multiplier: factor(1.5, 'what each delay is multiplied by'),
    max_interval: seconds(60_000, 'the longest delay before jitter'),
    rand_factor: share(0.5, 'by what part of itself a delay may be shorter or longer'),
    max_elapsed_time: seconds(900_000, 'the longest time of all attempts together'),
  },
  deadline: {
    option: 'max_elapsed_time',
    limitOf: ({ max_elapsed_time }) => max_elapsed_time,
    there: ATTEMPT_GOES_ON,
  },
  policy: ({ tries, base_interval, multiplier, max_interval, rand_factor }) => ({
    maxAttempts: tries,
    backoff: exponential(base_interval, multiplier),
    jitter: { proportional: rand_factor },
    maxDelay: max_interval,
    capAt: 'ignores-jitter',
  }),
});
