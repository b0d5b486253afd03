import { seconds, value } from '../option.ts';
import { constant, defineSystem, type System } from '../system.ts';
import { asTries } from '../texts.ts';

/** aria2: its retry options, by AbstractCommand.cc and HttpSkipResponseCommand.cc. */
export const aria2: System = /* @__PURE__ */ defineSystem({
  name: 'aria2',
  title: 'aria2',
  version: '1.36.0',
  fidelity: 'exact',
  remarks: [
    '`--retry-wait` is waited after a 502, 503 or 504 alone, and while it is 0, a 502 or 503 is not retried. After any other error it tries again at once.',
  ],
  options: {
    '--max-tries': value(
      { unit: 'executions', parse: asTries, must: 'a number of executions; 0: no limit' },
      5,
      'all executions; 0: no limit',
    ),
    '--retry-wait': seconds(0, 'the delay after an answer of a busy server'),
  },
  policy: ({ '--max-tries': maxAttempts, '--retry-wait': wait }) => ({
    maxAttempts,
    backoff: { type: 'none' },
    ...(wait > 0
      ? { delays: [{ on: [{ status: [502, 503, 504] }], backoff: constant(wait) }] }
      : { stopOn: [{ status: [502, 503] }] }),
  }),
});
