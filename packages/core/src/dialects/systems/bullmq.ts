import { choice, executions, group, ms, share } from '../option.ts';
import { constant, defineSystem, exponential, type System } from '../system.ts';

/** BullMQ: the options of a job. */
export const bullmq: System = /* @__PURE__ */ defineSystem({
  name: 'bullmq',
  title: 'BullMQ',
  version: '6.7.0',
  fidelity: 'exact',
  remarks: ['Without jitter a delay is rounded to whole milliseconds.'],
  options: {
    attempts: executions(1, 'all executions'),
    backoff: group(
      {
        type: choice(['fixed', 'exponential'], 'fixed', 'how the delay grows: doubled, or not at all'),
        delay: ms(0, 'the first delay'),
        jitter: share(0, 'by what part of itself a delay may be shorter'),
      },
      'a number is a fixed delay',
      (given) => (typeof given === 'number' ? { type: 'fixed', delay: given } : undefined),
    ),
  },
  policy: ({ attempts, backoff: { type, delay, jitter } }) => ({
    maxAttempts: attempts,
    backoff: type === 'fixed' ? constant(delay) : exponential(delay),
    jitter: { down: jitter },
  }),
});
