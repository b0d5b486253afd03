import { ATTEMPT_GOES_ON } from '../deadline.ts';
import { ms } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** The MongoDB driver: `withTransaction`. */
export const mongodbWithtransaction: System = /* @__PURE__ */ defineSystem({
  name: 'mongodb-withtransaction',
  title: 'MongoDB withTransaction',
  version: '7.9.0',
  fidelity: 'exact',
  remarks: ['It ends by time only: 120 s.'],
  options: { timeoutMS: ms(120_000, 'the longest time of all attempts together') },
  deadline: {
    option: 'timeoutMS',
    limitOf: ({ timeoutMS }) => timeoutMS || Infinity,
    there: ATTEMPT_GOES_ON,
  },
  policy: () => ({
    maxAttempts: Infinity,
    backoff: exponential(7.5, 1.5),
    jitter: 'full',
    maxDelay: 500,
  }),
});
