import { ignored, seconds, value } from '../option.ts';
import { defineSystem, linear, type System } from '../system.ts';
import { asTries } from '../texts.ts';

/** wget: its retry options. */
export const wget: System = /* @__PURE__ */ defineSystem({
  name: 'wget',
  title: 'wget',
  version: '1.21.3',
  fidelity: 'exact',
  options: {
    '--tries': value(
      { unit: 'executions', parse: asTries, must: 'a number of executions; 0: no limit' },
      20,
      'all executions; 0: no limit',
    ),
    '--waitretry': seconds(10_000, 'the longest delay'),
    '--retry-on-http-error': ignored('statuses'),
    '--retry-connrefused': ignored('whether a refused connection is retried'),
  },
  policy: (values) => ({
    maxAttempts: values['--tries'],
    backoff: linear(1_000),
    maxDelay: values['--waitretry'],
  }),
});
