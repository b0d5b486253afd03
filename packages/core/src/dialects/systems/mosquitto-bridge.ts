import { value } from '../option.ts';
import { constant, defineSystem, type System } from '../system.ts';
import { asTimes } from '../texts.ts';

/** mosquitto: `restart_timeout` of a bridge. */
export const mosquittoBridge: System = /* @__PURE__ */ defineSystem({
  name: 'mosquitto-bridge',
  title: 'Mosquitto bridge',
  version: '2.0.11',
  fidelity: 'range',
  remarks: ['It waits a second more than it draws; and draws each delay from the one before.'],
  options: {
    restart_timeout: value(
      { unit: 'text', parse: asTimes, must: 'seconds: "10" or "10 30"', shown: '5 30' },
      [5_000, 30_000],
      'the lowest and the highest delay in seconds; with one number, the highest is 30',
    ),
  },
  policy: ({ restart_timeout: [least = 5_000, most = Math.max(least, 30_000)] }) => ({
    maxAttempts: Infinity,
    backoff: constant(least + 1_000),
    jitter: { plus: Math.max(most - least, 0) },
    granularity: 1_000,
  }),
});
