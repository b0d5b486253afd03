import { ignored, seconds, value } from '../option.ts';
import { defineSystem, type System } from '../system.ts';
import { asMaxStart } from '../texts.ts';

/** autossh: its environment. */
export const autossh: System = /* @__PURE__ */ defineSystem({
  name: 'autossh',
  title: 'autossh',
  version: '1.4g',
  fidelity: 'exact',
  remarks: ['The first five restarts are made at once.'],
  options: {
    AUTOSSH_MAXSTART: value(
      { unit: 'executions', parse: asMaxStart, must: 'a number of starts; -1: no limit', shown: '-1' },
      Infinity,
      'all starts',
    ),
    AUTOSSH_POLL: seconds(600_000, 'the longest delay'),
    AUTOSSH_GATETIME: ignored('how long the first start has to last'),
  },
  policy: ({ AUTOSSH_MAXSTART, AUTOSSH_POLL }) => ({
    maxAttempts: AUTOSSH_MAXSTART,
    backoff: { type: 'polynomial', base: AUTOSSH_POLL / 300, exponent: 2, from: -4 },
    maxDelay: AUTOSSH_POLL,
    granularity: 1_000,
  }),
});
