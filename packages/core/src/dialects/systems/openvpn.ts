import { executions, value, where } from '../option.ts';
import { defineSystem, type System, written } from '../system.ts';
import { asTimes } from '../texts.ts';

/** Before which retry the delay is doubled for the first time, and how often at most: `socket_restart_pause` in init.c. */
const [FIRST_DOUBLED, MAX_DOUBLINGS] = [5, 15];

/** Longer first delays are cut to 16 bits of seconds. */
const MAX_FIRST_MS = 65_535_000;

function asRetryTimes(given: unknown): readonly number[] | undefined {
  const times = asTimes(given);
  return times !== undefined && times.length <= 2 ? times : undefined;
}

/** OpenVPN: `connect-retry`. */
export const openvpn: System = /* @__PURE__ */ defineSystem({
  name: 'openvpn',
  title: 'OpenVPN',
  version: '2.6.14',
  fidelity: 'exact',
  remarks: [
    'The first four delays are the same, then each is doubled, 15 times at most. With several addresses, each is tried once between two of these steps.',
  ],
  options: {
    'connect-retry': value(
      { unit: 'text', parse: asRetryTimes, must: 'seconds: "1" or "1 300"', shown: '1 300' },
      [1_000],
      'the first and the longest delay in seconds',
    ),
    'connect-retry-max': where(0, Infinity, executions(Infinity, 'all tries of an address; 0: no limit')),
  },
  policy: ({ 'connect-retry': [given = 1_000, most], 'connect-retry-max': maxAttempts }) => {
    const first = Math.min(given, MAX_FIRST_MS);
    return {
      maxAttempts,
      backoff: written((retry) => {
        const doublings = Math.min(retry - FIRST_DOUBLED + 1, MAX_DOUBLINGS);
        return doublings > 0 ? Math.max(first, 1_000) * 2 ** doublings : first;
      }),
      maxDelay: most === undefined ? 300_000 : Math.max(most, first),
    };
  },
});
