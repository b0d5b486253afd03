import { executions, ms, value } from '../option.ts';
import { constant, defineSystem, list, type System } from '../system.ts';
import { asDelays } from '../texts.ts';

/** node-resque: its Retry plugin. */
export const nodeResque: System = /* @__PURE__ */ defineSystem({
  name: 'node-resque',
  title: 'node-resque',
  version: '9.7.1',
  fidelity: 'exact',
  remarks: [
    'It counts by function and arguments: two jobs that are the same share one count. Delays begin at whole seconds.',
  ],
  options: {
    retryLimit: executions(1, 'all executions'),
    retryDelay: ms(5_000, 'the delay; 0 is the default, too'),
    backoffStrategy: value(
      { unit: 'list of ms', parse: asDelays, must: 'a list of milliseconds' },
      undefined,
      'delays instead of `retryDelay`; the last one repeats',
    ),
  },
  policy: ({ retryLimit, retryDelay, backoffStrategy }) => ({
    maxAttempts: retryLimit,
    backoff: backoffStrategy === undefined ? constant(retryDelay || 5_000) : list(backoffStrategy),
  }),
});
