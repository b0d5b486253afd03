import { value } from '../option.ts';
import { defineSystem, list, type System } from '../system.ts';
import { asTimes, asTries } from '../texts.ts';

/** Laravel: `$tries` and `$backoff` of a job, and the options of its worker. */
export const laravelQueue: System = /* @__PURE__ */ defineSystem({
  name: 'laravel-queue',
  title: 'Laravel',
  version: '8.83.26',
  fidelity: 'exact',
  options: {
    tries: value(
      { unit: 'executions', parse: asTries, must: 'a number of executions; 0: no limit' },
      1,
      'all executions; 0: no limit',
    ),
    backoff: value(
      { unit: 's', parse: asTimes, must: 'seconds: 3, "1,5,10" or a list' },
      undefined,
      'a delay, or delays of which the last one repeats',
    ),
    '--backoff': value(
      { unit: 's', parse: asTimes, must: 'seconds: 3, "1,5,10" or a list', shown: '0' },
      [0],
      'the same of the worker, for jobs without their own',
    ),
  },
  policy: (values) => ({ maxAttempts: values.tries, backoff: list(values.backoff ?? values['--backoff']) }),
});
