import { type ErrorFamily, family } from './family.ts';
import { NEVER_CONNECTS, REFUSED_REQUEST } from './permanent.ts';

const AWS_THROTTLED = [
  'Throttling',
  'ThrottlingException',
  'ThrottledException',
  'RequestThrottled',
  'RequestThrottledException',
  'TooManyRequestsException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'LimitExceededException',
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'SlowDown',
  'PriorRequestNotComplete',
  'TransactionInProgressException',
  'TransactionConflictException',
];

const AWS_FAILED = [
  'InternalFailure',
  'InternalServerError',
  'InternalServerException',
  'ServiceUnavailable',
  'ServiceUnavailableException',
];

/** Of a request whose body came too slowly; S3 answers 400. */
const AWS_TIMED_OUT = ['RequestTimeout', 'RequestTimeoutException'];

/** Matches errors of AWS that may pass, by name: many of its throttling errors have status 400. Use it with `http` and `network`. */
export const aws: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { name: AWS_THROTTLED },
    { code: AWS_THROTTLED },
    { name: 'TransactionCanceledException', message: ['TransactionConflict', 'ThrottlingError'] },
  ],
  ambiguous: [
    { name: AWS_FAILED, unless: REFUSED_REQUEST },
    { code: AWS_FAILED, unless: REFUSED_REQUEST },
    { name: AWS_TIMED_OUT },
    { code: AWS_TIMED_OUT },
  ],
  unless: NEVER_CONNECTS,
});

/** Matches errors of Azure that may pass, by code. Use it with `http` and `network`. */
export const azure: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { code: ['ServerBusy', 'ServiceBusy', 'ServiceBusyError', 'TooManyRequests', 'QuotaExceeded', 429, 449] },
  ],
  ambiguous: [
    {
      code: [
        'InternalError',
        'InternalServerError',
        'OperationTimedOut',
        'ServerTimeout',
        'ServiceUnavailable',
        'ServiceCommunicationProblem',
        'ServiceTimeout',
        'OperationTimeoutError',
      ],
    },
    { code: 'PARSE_ERROR', message: 'aborted' },
  ],
  unless: NEVER_CONNECTS,
});

/** Matches errors of Google's clients and of Firebase that may pass, by code or reason. Use it with `http`, `grpc` and `network`. */
export const google: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { message: ['rateLimitExceeded', 'userRateLimitExceeded', 'RATE_LIMIT_EXCEEDED'] },
    {
      code: [
        'aborted',
        'messaging/message-rate-exceeded',
        'messaging/device-message-rate-exceeded',
        'auth/too-many-requests',
      ],
    },
  ],
  ambiguous: [
    {
      code: [
        'unavailable',
        'resource-exhausted',
        'deadline-exceeded',
        'app/network-error',
        'app/network-timeout',
        'messaging/server-unavailable',
        'messaging/internal-error',
        'auth/network-request-failed',
        'database/network-error',
      ],
    },
    {
      message: ['backendError', '"status":"UNAVAILABLE"', '"status": "UNAVAILABLE"'],
      unless: REFUSED_REQUEST,
    },
  ],
  unless: NEVER_CONNECTS,
});
