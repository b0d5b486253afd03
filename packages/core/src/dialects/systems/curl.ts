import { ignored, retries, seconds } from '../option.ts';
import { constant, defineSystem, exponential, type System } from '../system.ts';

/** The longest delay of curl's own backoff. */
const MAX_DELAY_MS = 600_000;

/** What is compared before a wait: the retry that begins before the limit is still made. */
function timeoutOf(limitMs: number, delayOf: (retry: number) => number): number {
  let elapsedMs = 0;
  let retry = 1;
  while (elapsedMs + delayOf(retry) <= limitMs && retry < 1_000) elapsedMs += delayOf(retry++);
  return limitMs + delayOf(retry);
}

/** curl: its retry options. */
export const curl: System = /* @__PURE__ */ defineSystem({
  name: 'curl',
  title: 'curl',
  version: '7.88.1',
  fidelity: 'near',
  remarks: [
    '`--retry-max-time` is compared before a wait, not with its end.',
    'Of a `Retry-After`, only whole seconds are read there: 1.5 is 1 s, and 0.4 as if there were none.',
    'Each try writes to the output, also the body of a failure, unless `--output` or `--fail` is set.',
  ],
  options: {
    '--retry': retries(0, 'requests after the first'),
    '--retry-delay': seconds(0, 'a constant delay; 0: doubled from 1 s'),
    '--retry-max-time': seconds(0, 'the longest time of all attempts together; 0: no limit'),
    '--retry-all-errors': ignored('whether every error is retried'),
    '--retry-connrefused': ignored('whether a refused connection is retried'),
  },
  policy: (values) => {
    const [delay, limit] = [values['--retry-delay'], values['--retry-max-time']];
    const delayOf = (retry: number): number => delay || Math.min(1_000 * 2 ** (retry - 1), MAX_DELAY_MS);
    return {
      maxAttempts: values['--retry'],
      ...(delay > 0 ? { backoff: constant(delay) } : { backoff: exponential(1_000), maxDelay: MAX_DELAY_MS }),
      ...(limit > 0 && { totalTimeout: timeoutOf(limit, delayOf) }),
      retryAfter: { mode: 'replace', max: Infinity, jitter: 'none' },
    };
  },
});
