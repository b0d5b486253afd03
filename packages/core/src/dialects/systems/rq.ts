import { MAX_ITEMS } from '../../read.ts';
import { warnIf } from '../dialect.ts';
import { atLeast, retries, value } from '../option.ts';
import { defineSystem, type System, written } from '../system.ts';
import { asIntervals } from '../written-values.ts';

/** RQ: its Retry. */
export const rq: System = /* @__PURE__ */ defineSystem({
  name: 'rq',
  title: 'RQ',
  version: '1.13.0',
  fidelity: 'exact',
  remarks: [
    'A list that is shorter than `max` repeats its first entry; of a longer one the last entries count. Delays begin at whole seconds.',
  ],
  options: {
    max: atLeast(1, retries(1, 'executions after the first')),
    interval: value<readonly number[]>(
      { unit: 's', parse: asIntervals, must: 'seconds, or a list of seconds', shown: '0' },
      [0],
      'a delay, or a list of delays',
    ),
  },
  policy: ({ max, interval }) => ({
    maxAttempts: max,
    // The last retry has the last entry, and so on backwards.
    backoff: written((retry) => interval[Math.max(interval.length - Math.max(max - retry, 1), 0)] ?? 0),
  }),
  warnings: ({ max, interval: [first, ...others] }) => [
    warnIf(max - 1 > MAX_ITEMS && max < Infinity && others.some((each) => each !== first), {
      code: 'DIFFERS',
      path: 'interval',
      message: `there the list is for the last retries; here the first entry is waited after ${MAX_ITEMS} of them, too`,
      cure: `Use a max of at most ${MAX_ITEMS}.`,
    }),
  ],
});
