import { retries, value } from '../option.ts';
import { defineSystem, type System, written } from '../system.ts';
import { asTimes } from '../texts.ts';

/** OpenVPN: `connect-retry`. */
export const openvpn: System = /* @__PURE__ */ defineSystem({
  name: 'openvpn',
  title: 'OpenVPN',
  version: '2.6.14',
  fidelity: 'exact',
  remarks: ['The delay is doubled after three or four tries, by what was measured.'],
  options: {
    'connect-retry': value(
      { unit: 'text', parse: asTimes, must: 'seconds: "1" or "1 300"', shown: '1 300' },
      [1_000],
      'the first and the longest delay in seconds',
    ),
    'connect-retry-max': retries(Infinity, 'tries'),
  },
  policy: (values) => {
    const [first = 1_000, most] = values['connect-retry'];
    const equal = most === undefined ? 3 : 4;
    return {
      maxAttempts: values['connect-retry-max'],
      backoff: written(Infinity, (retry) => first * 2 ** Math.max(retry - equal, 0)),
      maxDelay: most ?? 300_000,
    };
  },
});
