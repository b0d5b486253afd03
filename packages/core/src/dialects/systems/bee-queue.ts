import { warnIf } from '../dialect.ts';
import { flag, retries, value } from '../option.ts';
import { constant, defineSystem, exponential, type System } from '../system.ts';
import { asBackoff } from '../texts.ts';

/** Bee-Queue: the settings of a job. */
export const beeQueue: System = /* @__PURE__ */ defineSystem({
  name: 'bee-queue',
  title: 'Bee-Queue',
  version: '2.0.0',
  fidelity: 'exact',
  options: {
    retries: retries(0, 'executions after the first'),
    backoff: value(
      {
        unit: 'text',
        parse: asBackoff,
        must: 'a strategy and a delay: "exponential 200"',
        shown: 'immediate',
      },
      { strategy: 'immediate', delay: 0 },
      '`immediate`, `fixed MS` or `exponential MS`',
    ),
    activateDelayedJobs: flag(false, 'whether the queue serves delayed jobs at all'),
  },
  policy: (values) => ({
    maxAttempts: values.retries,
    backoff:
      values.backoff.strategy === 'exponential'
        ? exponential(values.backoff.delay)
        : constant(values.backoff.delay),
  }),
  warnings: ({ backoff, activateDelayedJobs }) => [
    warnIf(backoff.delay > 0 && !activateDelayedJobs, {
      code: 'DIFFERS',
      path: 'activateDelayedJobs',
      message: 'without activateDelayedJobs: true, Bee-Queue never runs a job that has a delay',
      cure: 'Set activateDelayedJobs: true there.',
    }),
  ],
});
