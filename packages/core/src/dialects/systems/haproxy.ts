import { retries, span, value } from '../option.ts';
import { constant, defineSystem, type System } from '../system.ts';

/** HAProxy: retries of a connection. */
export const haproxy: System = /* @__PURE__ */ defineSystem({
  name: 'haproxy',
  title: 'HAProxy',
  version: '2.6.12',
  fidelity: 'exact',
  remarks: ['With `option redispatch` and several servers, the next one is tried at once.'],
  options: {
    retries: retries(3, 'tries after the first'),
    'timeout connect': span('5s', 'which a delay is never longer than'),
    'retry-on': value(
      { unit: 'text', parse: (given) => (typeof given === 'string' ? given : undefined), must: 'text' },
      'conn-failure',
      'what is retried; an answer at once',
    ),
  },
  policy: (values) => ({
    maxAttempts: values.retries,
    backoff:
      values['retry-on'] === 'conn-failure'
        ? constant(Math.min(1_000, values['timeout connect']))
        : { type: 'none' },
  }),
});
