import { warnIf } from '../dialect.ts';
import { choice, executions, flag } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** What `@smithy/service-error-classification` takes for throttling. */
const THROTTLING = [
  { status: 429 },
  {
    name: [
      ...[
        'BandwidthLimitExceeded',
        'EC2ThrottledException',
        'LimitExceededException',
        'PriorRequestNotComplete',
      ],
      ...['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'RequestThrottled', 'SlowDown'],
      ...['RequestThrottledException', 'ThrottledException', 'Throttling', 'ThrottlingException'],
      ...['TooManyRequestsException', 'TransactionInProgressException'],
    ],
  },
];

/** The retry strategies of AWS SDKs for JavaScript (Smithy). */
export const smithyUtilRetry: System = /* @__PURE__ */ defineSystem({
  name: 'smithy-util-retry',
  title: 'AWS SDK for JavaScript (Smithy)',
  version: '4.6.2',
  fidelity: 'exact',
  remarks: [
    'A `Retry-After` is followed there only between the delay and 5 s more; here it is a minimum.',
    'The retry quota is a budget: `{ type: "token-bucket", capacity: 500, costs: { default: 14, throttling: 5 } }`.',
    'Without `AWS_NEW_RETRIES_2026`, throttling waits from 500 ms, any other error from 100 ms.',
  ],
  options: {
    maxAttempts: executions(3, 'all executions'),
    strategy: choice(
      ['StandardRetryStrategy', 'AdaptiveRetryStrategy'],
      'StandardRetryStrategy',
      'the adaptive one also limits the rate of requests',
    ),
    AWS_NEW_RETRIES_2026: flag(true, 'whether the retries of 2026 are used'),
  },
  policy: ({ maxAttempts, AWS_NEW_RETRIES_2026: isNew }) => ({
    maxAttempts,
    backoff: exponential(isNew ? 50 : 100),
    delays: [{ on: THROTTLING, backoff: exponential(isNew ? 1_000 : 500) }],
    jitter: 'full',
    maxDelay: 20_000,
    retryAfter: { mode: 'floor', max: 20_000, beyondMax: 'clamp', jitter: 'none' },
  }),
  warnings: ({ strategy }) => [
    warnIf(strategy === 'AdaptiveRetryStrategy', {
      code: 'DIFFERS',
      path: 'strategy',
      message: 'the adaptive strategy also limits the rate of requests, which no policy says',
      cure: 'Share a budget, or a limit of the rate.',
    }),
  ],
});
