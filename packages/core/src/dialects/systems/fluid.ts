import { fromFluid } from '../fluid/from-fluid.ts';
import { described } from '../option.ts';
import { describeSystem, type System } from '../system.ts';

/** aio-fluid: what `fromFluid` reads. */
export const fluid: System = /* @__PURE__ */ describeSystem(
  {
    name: 'fluid',
    title: 'aio-fluid',
    version: '2.3',
    fidelity: 'exact',
    options: {
      retry: described(
        'object',
        '–: never retried',
        '`max_attempts`, `wait`, `backoff`, `max_wait`, `exceptions`',
      ),
      rate_limit_retry: described('object', '–', 'the same for runs over `max_concurrency`'),
      max_concurrency: described('number', '0: no limit', 'runs at the same time, in all workers'),
      timeout_seconds: described('s', '60', 'of one attempt'),
    },
  },
  (options) => fromFluid(options),
);
