import { WAIT_NOT_COUNTED } from '../deadline.ts';
import { executions, factor, seconds, where } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** stamina: the arguments of its decorator. */
export const stamina: System = /* @__PURE__ */ defineSystem({
  name: 'stamina',
  title: 'stamina',
  version: '87ccfa4 (2026-06-01)',
  fidelity: 'exact',
  remarks: ['A delay is cut after its jitter: late ones are exactly `wait_max`.'],
  options: {
    attempts: where(null, Infinity, executions(10, 'all executions; `None`: no limit')),
    timeout: where(
      null,
      Infinity,
      seconds(45_000, 'the longest time of all attempts together; `None`: no limit'),
    ),
    wait_initial: seconds(100, 'the first delay'),
    wait_max: seconds(5_000, 'the longest delay'),
    wait_jitter: seconds(1_000, 'up to which a delay is longer'),
    wait_exp_base: factor(2, 'what each delay is multiplied by'),
  },
  deadline: { option: 'timeout', limitOf: ({ timeout }) => timeout, there: WAIT_NOT_COUNTED },
  policy: ({ attempts, wait_initial, wait_max, wait_jitter, wait_exp_base }) => ({
    maxAttempts: attempts,
    backoff: exponential(wait_initial, wait_exp_base),
    jitter: { plus: wait_jitter },
    maxDelay: wait_max,
    capAt: 'after-jitter',
  }),
});
