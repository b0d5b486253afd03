import { factor, flag, span } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** jpillora/backoff: its Backoff. */
export const jpilloraBackoff: System = /* @__PURE__ */ defineSystem({
  name: 'jpillora-backoff',
  title: 'jpillora/backoff',
  version: '1.0.0',
  fidelity: 'exact',
  remarks: ['It does not count: the caller ends the retrying.'],
  options: {
    Min: span('100ms', 'the first delay; 0 is the default, too'),
    Max: span('10s', 'the longest delay; 0 is the default, too'),
    Factor: factor(2, 'what each delay is multiplied by; 0 is the default, too'),
    Jitter: flag(false, 'whether a delay is drawn from `Min` to itself'),
  },
  policy: ({ Min, Max, Factor, Jitter }) => {
    const [least, most] = [Min || 100, Max || 10_000];
    return {
      maxAttempts: Infinity,
      backoff: exponential(least, Factor || 2),
      jitter: Jitter ? 'full' : 'none',
      minDelay: Math.min(least, most),
      maxDelay: most,
    };
  },
});
