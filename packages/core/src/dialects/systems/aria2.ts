import { seconds, value } from '../option.ts';
import { constant, defineSystem, type System } from '../system.ts';
import { asTries } from '../texts.ts';

/** aria2: its retry options. */
export const aria2: System = /* @__PURE__ */ defineSystem({
  name: 'aria2',
  title: 'aria2',
  version: '1.36.0',
  fidelity: 'exact',
  remarks: ['A 503 is not retried while `--retry-wait` is 0.'],
  options: {
    '--max-tries': value(
      { unit: 'executions', parse: asTries, must: 'a number of executions; 0: no limit' },
      5,
      'all executions; 0: no limit',
    ),
    '--retry-wait': seconds(0, 'the delay'),
  },
  policy: (values) => ({
    maxAttempts: values['--retry-wait'] > 0 ? values['--max-tries'] : 1,
    backoff: constant(values['--retry-wait']),
  }),
});
