import type { ErrorPattern } from '../matching/matcher.ts';
import { type ErrorFamily, family, globs } from './family.ts';
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

/** Codes of a request whose body came too slowly; S3 answers 400. */
const AWS_TIMED_OUT = ['RequestTimeout', 'RequestTimeoutException'];

/** Matches errors of AWS that may pass, by name: many of its throttling errors have status 400. Use it with `http` and `network`. */
export const aws: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { name: AWS_THROTTLED },
    { code: AWS_THROTTLED },
    {
      name: 'TransactionCanceledException',
      message: ['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'],
      // The reasons of all its items are in one text.
      unless: { message: ['ConditionalCheckFailed', 'ValidationError', 'ItemCollectionSizeLimitExceeded'] },
    },
  ],
  ambiguous: [
    { name: AWS_FAILED, unless: REFUSED_REQUEST },
    { code: AWS_FAILED, unless: REFUSED_REQUEST },
    { name: AWS_TIMED_OUT },
    { code: AWS_TIMED_OUT },
  ],
  unless: NEVER_CONNECTS,
});

/** Codes of Service Bus and Event Hubs, over AMQP: the server is busy, or the client could not send. */
const AMQP_NOT_SENT = [
  'ServerBusyError',
  'SenderBusyError',
  'SenderNotReadyError',
  'InsufficientCreditError',
];

/** Service Bus has no code for all of them, and writes them before its message. */
const GENERAL_NOT_SENT: ErrorPattern = {
  name: 'ServiceBusError',
  code: 'GeneralError',
  message: globs(...AMQP_NOT_SENT.map((code) => `${code}: *`)),
};

/** Matches errors of Azure that may pass, by code. Use it with `http` and `network`. */
export const azure: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { code: ['ServerBusy', 'ServiceBusy', 'TooManyRequests', 'QuotaExceeded', ...AMQP_NOT_SENT, 429, 449] },
    GENERAL_NOT_SENT,
  ],
  ambiguous: [
    {
      code: [
        'InternalError',
        'OperationTimedOut',
        'ServerTimeout',
        'ServiceUnavailable',
        'ServiceCommunicationProblem',
        'ServiceTimeout',
        'InternalServerError',
        'OperationTimeoutError',
      ],
    },
    // Their mark is true until a code says otherwise; codes that Service Bus gives itself say nothing to it. A refused credential has it, too.
    {
      name: 'MessagingError',
      retryable: true,
      unless: [{ name: 'ServiceBusError' }, { code: ['UnauthorizedError', ...AMQP_NOT_SENT] }],
    },
    { name: 'ServiceBusError', code: 'GeneralError', retryable: true, unless: GENERAL_NOT_SENT },
    { code: 'PARSE_ERROR', message: 'aborted' },
  ],
  unless: NEVER_CONNECTS,
});

/** Matches errors of Google's clients and of Firebase that may pass, by code or reason. Use it with `http`, `grpc` and `network`. */
export const google: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { message: ['rateLimitExceeded', 'userRateLimitExceeded', 'RATE_LIMIT_EXCEEDED'] },
    {
      code: [...['aborted', '*/aborted'], 'messaging/*-rate-exceeded', 'auth/too-many-requests'],
    },
  ],
  ambiguous: [
    {
      code: [
        // Firestore of a browser has the code alone; every other product of Firebase has its name before it.
        ...['unavailable', 'resource-exhausted', 'deadline-exceeded'],
        ...['*/unavailable', '*/resource-exhausted', '*/deadline-exceeded'],
        ...['*/service-unavailable', '*/server-unavailable'],
        ...['*/network-error', '*/network-timeout', '*/network-request-failed'],
        'messaging/internal-error',
        'storage/retry-limit-exceeded',
      ],
    },
    // The client's own text of a function that did not answer, or not with an error of its own.
    { code: 'functions/internal', message: globs('internal', 'internal [0]', 'internal [500]') },
    {
      message: ['backendError', '"status":"UNAVAILABLE"', '"status": "UNAVAILABLE"'],
      unless: REFUSED_REQUEST,
    },
  ],
  unless: NEVER_CONNECTS,
});
