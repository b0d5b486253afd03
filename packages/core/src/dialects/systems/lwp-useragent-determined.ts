import { value } from '../option.ts';
import { defineSystem, list, type System } from '../system.ts';
import { asTimes } from '../texts.ts';

/** LWP::UserAgent::Determined: its timing. */
export const lwpUseragentDetermined: System = /* @__PURE__ */ defineSystem({
  name: 'lwp-useragent-determined',
  title: 'LWP::UserAgent::Determined',
  version: '1.07',
  fidelity: 'exact',
  options: {
    timing: value(
      { unit: 'text', parse: asTimes, must: 'seconds: "1,3,15"', shown: '1,3,15' },
      [1_000, 3_000, 15_000],
      'the delays in seconds, one for each retry',
    ),
  },
  policy: ({ timing }) => ({ maxAttempts: timing.length + 1, backoff: list(timing) }),
});
