import { callsOf } from '../calls.ts';
import { WAIT_NOT_COUNTED } from '../deadline.ts';
import { warnIf } from '../dialect.ts';
import { choice, executions, seconds, value } from '../option.ts';
import { defineSystem, type System } from '../system.ts';
import { isUnevenSum, TENACITY_WAITS, tenacityPolicy } from '../tenacity-waits.ts';

/** tenacity: `wait` and `stop`. */
export const tenacity: System = /* @__PURE__ */ defineSystem({
  name: 'tenacity',
  title: 'tenacity',
  version: '8.2.1 and its main branch of 2026-07-15',
  fidelity: 'exact',
  remarks: [
    'The main branch draws `wait_random_exponential` from `min` on; 8.2.1 from 0, where `min` only raises the end.',
  ],
  options: {
    wait: value(
      {
        unit: 'text',
        parse: callsOf(TENACITY_WAITS),
        must: 'waits as in Python: "wait_fixed(3) + wait_random(0, 2)"',
        cure: `Use numbers of seconds in ${Object.keys(TENACITY_WAITS).join(', ')}.`,
        shown: 'wait_none()',
      },
      [],
      'one or more waits, whose sum is waited',
    ),
    stop_after_attempt: executions(Infinity, 'all executions'),
    stop_after_delay: seconds(Infinity, 'the longest time of all attempts together'),
    version: choice(['8', 'main'], '8', 'of tenacity'),
  },
  deadline: {
    option: 'stop_after_delay',
    limitOf: ({ stop_after_delay }) => stop_after_delay,
    there: WAIT_NOT_COUNTED,
  },
  policy: ({ wait, stop_after_attempt, version }) => ({
    maxAttempts: stop_after_attempt,
    ...tenacityPolicy(wait, { version }),
  }),
  warnings: ({ wait }) => [
    warnIf(isUnevenSum(wait), {
      code: 'DIFFERS',
      path: 'wait',
      message: 'there what a sum draws changes from retry to retry; here the first of it is drawn each time',
      cure: 'Compare them by a preview, or use one wait alone.',
    }),
  ],
});
