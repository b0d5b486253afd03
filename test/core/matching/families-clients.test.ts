import { network, timeouts } from '@retry/core/errors';
import { describe, expect, it } from 'vitest';
import { errorWith, type Meaning, meaningIn, meaningOf } from './meaning.ts';

describe('timeouts', () => {
  it.each([
    'Request timed out.',
    'operation timed out for an unknown reason',
    "Request to 'getMe' timed out after 1.5 seconds",
    "Socket 'secureConnect' timed out after 5000ms (connectTimeoutMS: 30000)",
    'Request to Notion API has timed out',
    'Timed out waiting for the lock',
  ])('matches "%s"', (message) => {
    expect(meaningOf(new Error(message))).toBe('ambiguous');
  });

  it.each([
    "Invalid enum value. Expected 'done', received 'timed out'",
    '[{"received":"timed out","code":"invalid_enum_value"}]',
    'Your session has timed out. Please log in again.',
  ])('does not match %s', (message) => {
    expect(meaningOf(new Error(message))).toBe('permanent');
  });
});

describe('http', () => {
  it('does not match what the AI SDK did not retry, although it retried what came before', () => {
    // packages/ai/src/util/retry-with-exponential-backoff.ts
    const errors = [
      errorWith({ statusCode: 503, isRetryable: true }),
      errorWith({ code: 'ECONNRESET' }),
      new TypeError('x'),
    ];
    const message = "Failed after 3 attempts with non-retryable error: 'x'";

    expect(
      meaningOf(errorWith({ name: 'AI_RetryError', reason: 'errorNotRetryable', errors }, message)),
    ).toBe('permanent');
  });

  it('matches a client that gave up the retries of an error that may pass', () => {
    // Pinecone 9 retries a 5xx alone.
    expect(meaningOf(errorWith({ name: 'PineconeMaxRetriesExceededError' }))).toBe('ambiguous');
  });
});

/** sdk/core/core-amqp/src/errors.ts and sdk/servicebus/service-bus/src/serviceBusError.ts of Azure. */
describe('azure', () => {
  const messagingError = (code: string, retryable = true): Error =>
    errorWith({ name: 'MessagingError', code, retryable });
  const serviceBusError = (code: string, message: string, retryable = true): Error =>
    errorWith({ name: 'ServiceBusError', code, retryable }, message);

  it.each<[string, unknown, Meaning]>([
    ['ServerBusyError', messagingError('ServerBusyError'), 'not applied'],
    ['SenderBusyError', messagingError('SenderBusyError'), 'not applied'],
    ['OperationTimeoutError', messagingError('OperationTimeoutError'), 'ambiguous'],
    ['DetachForcedError', messagingError('DetachForcedError'), 'ambiguous'],
    // It is retryable there, as it may have been changed since.
    ['UnauthorizedError', messagingError('UnauthorizedError'), 'permanent'],
    ['MessageTooLargeError', messagingError('MessageTooLargeError', false), 'permanent'],
    ['ServiceBusy', serviceBusError('ServiceBusy', 'x'), 'not applied'],
    ['SenderBusyError, in Service Bus', serviceBusError('GeneralError', 'SenderBusyError: x'), 'not applied'],
    [
      'DetachForcedError, in Service Bus',
      serviceBusError('GeneralError', 'DetachForcedError: x'),
      'ambiguous',
    ],
    ['DecodeError, in Service Bus', serviceBusError('GeneralError', 'DecodeError: x', false), 'permanent'],
    // The client makes it without a word about `retryable`, which is true then.
    [
      'a batch that is too large',
      serviceBusError('MessageSizeExceeded', 'Messages were too big'),
      'permanent',
    ],
  ])('%s', (_name, thrown, meaning) => {
    expect(meaningOf(thrown)).toBe(meaning);
  });
});

/** Codes of firebase-js-sdk 12.18 and of firebase-admin 14.3. */
describe('google', () => {
  it.each<[string, unknown, Meaning]>([
    ['unavailable', errorWith({ name: 'FirebaseError', code: 'unavailable' }), 'ambiguous'],
    [
      'functions/unavailable',
      errorWith({ name: 'FirebaseError', code: 'functions/unavailable' }),
      'ambiguous',
    ],
    ['functions/aborted', errorWith({ name: 'FirebaseError', code: 'functions/aborted' }), 'not applied'],
    ['functions/not-found', errorWith({ name: 'FirebaseError', code: 'functions/not-found' }), 'permanent'],
    // What the client makes of a request without an answer: status 0.
    ['functions/internal', errorWith({ code: 'functions/internal' }, 'internal [0]'), 'ambiguous'],
    [
      'an error of the function',
      errorWith({ code: 'functions/internal' }, 'the card was declined [500]'),
      'permanent',
    ],
    ['storage/retry-limit-exceeded', errorWith({ code: 'storage/retry-limit-exceeded' }), 'ambiguous'],
    [
      'machine-learning/service-unavailable',
      errorWith({ code: 'machine-learning/service-unavailable' }),
      'ambiguous',
    ],
    [
      'messaging/topics-message-rate-exceeded',
      errorWith({ code: 'messaging/topics-message-rate-exceeded' }),
      'not applied',
    ],
    ['messaging/invalid-argument', errorWith({ code: 'messaging/invalid-argument' }), 'permanent'],
  ])('%s', (_name, thrown, meaning) => {
    expect(meaningOf(thrown)).toBe(meaning);
  });
});

describe('aws', () => {
  it.each<[string, Meaning]>([
    ['[None, TransactionConflict]', 'not applied'],
    ['[ProvisionedThroughputExceeded, None]', 'not applied'],
    ['[ConditionalCheckFailed, TransactionConflict]', 'permanent'],
  ])('takes a transaction of DynamoDB that was cancelled for %s for %s', (reasons, meaning) => {
    const message = `Transaction cancelled, please refer cancellation reasons for specific reasons ${reasons}`;
    const thrown = errorWith(
      { name: 'TransactionCanceledException', $metadata: { httpStatusCode: 400 } },
      message,
    );

    expect(meaningOf(thrown)).toBe(meaning);
  });
});

/** Codes and messages of lib/internal/errors.js and lib/net.js of Node 20 to 26, and of lib/core/errors.js of undici 8.10. */
describe('network', () => {
  it.each<[string, unknown, Meaning]>([
    // All addresses of a host were tried.
    ['ERR_SOCKET_CONNECTION_TIMEOUT', errorWith({ code: 'ERR_SOCKET_CONNECTION_TIMEOUT' }), 'not applied'],
    [
      'ERR_SOCKET_CLOSED_BEFORE_CONNECTION',
      errorWith({ code: 'ERR_SOCKET_CLOSED_BEFORE_CONNECTION' }),
      'not applied',
    ],
    ['ERR_SOCKET_CLOSED', errorWith({ code: 'ERR_SOCKET_CLOSED' }, 'Socket is closed'), 'ambiguous'],
    ['ENETRESET', errorWith({ code: 'ENETRESET', syscall: 'read' }, 'read ENETRESET'), 'ambiguous'],
    ['ENOTCONN', errorWith({ code: 'ENOTCONN', syscall: 'write' }, 'write ENOTCONN'), 'ambiguous'],
    [
      'ERR_TLS_HANDSHAKE_TIMEOUT',
      errorWith({ code: 'ERR_TLS_HANDSHAKE_TIMEOUT' }, 'TLS handshake timeout'),
      'not applied',
    ],
    ['ERR_TLS_CERT_ALTNAME_INVALID', errorWith({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }), 'permanent'],
    [
      'a stream of HTTP/2 whose session was lost',
      errorWith({ code: 'ERR_HTTP2_STREAM_CANCEL' }, 'The pending stream has been canceled'),
      'ambiguous',
    ],
    [
      'a stream of HTTP/2 whose session was not made',
      errorWith(
        { code: 'ERR_HTTP2_STREAM_CANCEL' },
        'The pending stream has been canceled (caused by: connect ECONNREFUSED 127.0.0.1:1)',
        errorWith({ code: 'ECONNREFUSED' }, 'connect ECONNREFUSED 127.0.0.1:1'),
      ),
      'not applied',
    ],
    [
      'undici, a server that leaves',
      errorWith({ code: 'UND_ERR_INFO' }, 'HTTP/2: "GOAWAY" frame received with code 0'),
      'ambiguous',
    ],
    [
      'undici, a frame that is wrong',
      errorWith({ code: 'UND_ERR_INFO' }, 'HTTP/2: "frameError" received - type 1, code 2'),
      'permanent',
    ],
    [
      'undici, a proxy of SOCKS that reaches no host',
      errorWith({ code: 'UND_ERR_SOCKS5_REPLY_4' }),
      'not applied',
    ],
    ['undici, a proxy of SOCKS that forbids it', errorWith({ code: 'UND_ERR_SOCKS5_REPLY_2' }), 'permanent'],
    [
      'undici, a proxy that hung up',
      errorWith(
        { code: 'UND_ERR_PRX_CONN' },
        'Proxy Connection failed',
        errorWith({ code: 'UND_ERR_SOCKET' }, 'other side closed'),
      ),
      'ambiguous',
    ],
    [
      'undici, the certificate of a proxy',
      errorWith({ code: 'UND_ERR_PRX_TLS' }, 'x', errorWith({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })),
      'permanent',
    ],
  ])('%s', (_name, thrown, meaning) => {
    expect(meaningOf(thrown)).toBe(meaning);
  });

  // X509ErrorCode() of src/crypto/crypto_common.cc of Node
  it.each([
    ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_CRL', 'UNABLE_TO_DECRYPT_CERT_SIGNATURE'],
    ...['UNABLE_TO_DECRYPT_CRL_SIGNATURE', 'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY', 'CERT_SIGNATURE_FAILURE'],
    ...[
      'CRL_SIGNATURE_FAILURE',
      'CERT_NOT_YET_VALID',
      'CERT_HAS_EXPIRED',
      'CRL_NOT_YET_VALID',
      'CRL_HAS_EXPIRED',
    ],
    ...['ERROR_IN_CERT_NOT_BEFORE_FIELD', 'ERROR_IN_CERT_NOT_AFTER_FIELD', 'ERROR_IN_CRL_LAST_UPDATE_FIELD'],
    ...['ERROR_IN_CRL_NEXT_UPDATE_FIELD', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
    ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CERT_CHAIN_TOO_LONG'],
    ...['CERT_REVOKED', 'INVALID_CA', 'PATH_LENGTH_EXCEEDED', 'INVALID_PURPOSE', 'CERT_UNTRUSTED'],
    ...['CERT_REJECTED', 'HOSTNAME_MISMATCH'],
  ])('matches no certificate that was refused as %s, whatever the client makes of it', (code) => {
    const axios = errorWith({ code: 'ERR_NETWORK' }, 'Network Error', errorWith({ code }));
    const octokit = errorWith({ status: 500 }, 'x', errorWith({ code }));

    expect([axios, octokit].map(meaningOf)).toEqual(['permanent', 'permanent']);
  });

  // Texts of OpenSSL, in clients that keep no code: grpc-js 1.13
  it.each([
    'unable to get local issuer certificate',
    'unable to verify the first certificate',
    'certificate is not yet valid',
    'certificate revoked',
  ])('matches no certificate that gRPC reports as %s', (text) => {
    const message = `14 UNAVAILABLE: No connection established. Last error: Error: ${text}`;

    expect(meaningOf(errorWith({ code: 14 }, message))).toBe('permanent');
  });
});

/** c-ares and tedious (for SQL Server) have a code in common. */
describe('the code ETIMEOUT', () => {
  it.each([
    ['queryA ETIMEOUT a.example', 'queryA'],
    ['getHostByAddr ETIMEOUT 10.0.0.7', 'getHostByAddr'],
  ])('of c-ares is a connection that was not made: %s', (message, syscall) => {
    expect(meaningOf(errorWith({ code: 'ETIMEOUT', syscall }, message))).toBe('not applied');
  });

  // lib/connection.js of tedious 19.2; mssql 12.7 keeps code and text.
  it.each(['Timeout: Request failed to complete in 15000ms', 'Failed to cancel request in 5000ms'])(
    'of tedious is a request that may have been applied: %s',
    (message) => {
      const request = errorWith({ code: 'ETIMEOUT' }, message);

      expect([network, timeouts].map((family) => meaningIn(family, request))).toEqual([
        'ambiguous',
        'ambiguous',
      ]);
    },
  );
});

describe('grpc', () => {
  // grpc-js 1.13: src/stream-decoder.ts, src/compression-filter.ts; grpc-go; grpc-java
  it.each([
    'Received message larger than max (4518352 vs 4194304)',
    'Received message that decompresses to a size larger than 4194304',
    'Attempted to send message with a size larger than 4194304',
    'grpc: received message larger than max (6482333 vs. 4194304)',
    'gRPC message exceeds maximum size 4194304: 5242888',
  ])('does not match a message that is too large: %s', (details) => {
    expect(meaningOf(errorWith({ code: 8, details }, `8 RESOURCE_EXHAUSTED: ${details}`))).toBe('permanent');
  });

  it('matches a quota', () => {
    expect(meaningOf(errorWith({ code: 8 }, '8 RESOURCE_EXHAUSTED: Quota exceeded'))).toBe('ambiguous');
  });
});
