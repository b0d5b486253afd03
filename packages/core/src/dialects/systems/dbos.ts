import { executions, factor, flag, seconds } from '../option.ts';
import { defineSystem, exponential, type System, written } from '../system.ts';

const HOUR_MS = 3_600_000;

/** DBOS: the retry options of a step. */
export const dbos: System = /* @__PURE__ */ defineSystem({
  name: 'dbos',
  title: 'DBOS',
  version: '5.3.0',
  fidelity: 'exact',
  remarks: ['Every delay but the first is cut at an hour.'],
  options: {
    retriesAllowed: flag(true, 'whether a step is retried'),
    maxAttempts: executions(3, 'all executions'),
    intervalSeconds: seconds(1_000, 'the first delay'),
    backoffRate: factor(2, 'what each delay is multiplied by'),
  },
  policy: ({ retriesAllowed, maxAttempts, intervalSeconds, backoffRate }) => ({
    maxAttempts: retriesAllowed ? maxAttempts : 1,
    ...(intervalSeconds > HOUR_MS
      ? {
          backoff: written((retry) =>
            retry === 1 ? intervalSeconds : Math.min(intervalSeconds * backoffRate ** (retry - 1), HOUR_MS),
          ),
        }
      : { backoff: exponential(intervalSeconds, backoffRate), maxDelay: HOUR_MS }),
  }),
});
