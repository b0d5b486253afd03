import { choice } from '../option.ts';
import { constant, defineSystem, exponential, type System } from '../system.ts';

const RETRIES = {
  tenRetriesInAboutThirtyMinutes: {
    maxAttempts: 11,
    backoff: exponential(1_000, 1.96821),
    jitter: 'bounded',
  },
  fiveRetriesInFiveMinutes: { maxAttempts: 6, backoff: exponential(1_000, 3.86) },
  rapidRetryPolicy: { maxAttempts: 11, backoff: constant(1) },
} as const;

/** The Slack web client: its `retryConfig`. */
export const slackWebApi: System = /* @__PURE__ */ defineSystem({
  name: 'slack-web-api',
  title: 'Slack web API',
  version: '8.2.0',
  fidelity: 'exact',
  options: {
    retryConfig: choice(
      ['tenRetriesInAboutThirtyMinutes', 'fiveRetriesInFiveMinutes', 'rapidRetryPolicy'],
      'tenRetriesInAboutThirtyMinutes',
      'one of its presets',
    ),
  },
  policy: ({ retryConfig }) => RETRIES[retryConfig],
});
