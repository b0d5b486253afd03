import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { connect, createServer } from 'node:net';
import type { Matcher } from '@retry/core';
import {
  AttemptTimeoutError,
  definePolicy,
  explain,
  isSerializable,
  matchesError,
  parsePolicy,
  policyToJSON,
} from '@retry/core';
import * as families from '@retry/core/errors';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';

const { http, network, postgres, redis, timeouts } = families;
const sets = { network, http, postgres, redis };

function isMeant(set: readonly Matcher[], error: unknown): boolean {
  return set.some((matcher) => matchesError(matcher, error));
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port; // a TCP server has a port
}

/** Returns a local port on which no process listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await portOf(server);
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

/** Returns the rejection of a promise. */
async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It was not rejected.');
}

function error(properties: object, message = 'x'): Error {
  return Object.assign(new Error(message), properties);
}

describe.each(Object.entries(sets))('%s', (_name, set) => {
  it.each([
    ['a plain error', new Error('x')],
    ['a mistake in the code', new TypeError("Cannot read properties of undefined (reading 'x')")],
    ['an error that only talks of it', new Error('got ECONNRESET, 503, 40001 and LOADING')],
    ['an error with another code', error({ code: 'ERR_INVALID_ARG_TYPE' })],
    ['an answer that is fine', { status: 200 }],
    ['nothing', undefined],
    ['text', 'got ECONNRESET'],
  ])('does not match %s', (_kind, thrown) => {
    expect(isMeant(set, thrown)).toBe(false);
  });

  it('can be written as JSON and read back', () => {
    const policy = definePolicy({ retryOn: set });

    expect(isSerializable(policy)).toBe(true);
    expect(settingsOf(parsePolicy(JSON.stringify(policyToJSON(policy)))).retryOn).toEqual([...set]);
  });
});

describe('network', () => {
  it.each([
    ['Failed to fetch', TypeError],
    ['NetworkError when attempting to fetch resource.', TypeError],
    ['Load failed', TypeError],
    ['network error', TypeError],
    ['Network connection lost.', Error],
  ])('matches "%s" at the beginning of the message', (message, Class) => {
    expect(isMeant(network, new Class(message))).toBe(true);
    expect(isMeant(network, new Class(`no such text: ${message}`))).toBe(false);
  });

  it('matches a refused connection', async () => {
    const port = await closedPort();

    const refused = await new Promise((resolve) => void connect(port, '127.0.0.1').on('error', resolve));

    expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
    expect(isMeant(network, refused)).toBe(true);
  });

  it('matches the error of fetch for a refused connection', async () => {
    const port = await closedPort();

    const failed = await rejectionOf(fetch(`http://127.0.0.1:${port}/`));

    expect(failed).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
    expect(isMeant(network, failed)).toBe(true);
  });

  it('matches the error of fetch for a host whose addresses all refuse', async () => {
    const port = await closedPort();

    const failed = await rejectionOf(fetch(`http://localhost:${port}/`));

    expect(isMeant(network, failed)).toBe(true);
  });

  it('matches a connection that is lost before the response, and within it', async () => {
    const server = createHttpServer((request, response) => {
      if (request.url === '/early') return void request.socket.destroy();
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => request.socket.destroy());
    });
    const port = await portOf(server);

    const early = await rejectionOf(fetch(`http://127.0.0.1:${port}/early`));
    const late = await rejectionOf(
      fetch(`http://127.0.0.1:${port}/late`).then((response) => response.text()),
    );
    await new Promise((resolve) => void server.close(resolve));

    expect([isMeant(network, early), isMeant(network, late)]).toEqual([true, true]);
  });

  // as node-fetch 3.3, axios 1.21 and got 15.0 reject when the connection is lost within a body; others have the codes of sockets
  it.each([
    ['node-fetch', 'FetchError', 'Invalid response body: Premature close', 'ERR_STREAM_PREMATURE_CLOSE'],
    ['axios', 'AxiosError', 'stream has been aborted', 'ERR_BAD_RESPONSE'],
    ['got', 'ReadError', 'Content-Length mismatch: expected 100 bytes', 'ERR_HTTP_CONTENT_LENGTH_MISMATCH'],
  ])('matches a body that breaks off in %s', (_client, name, message, code) => {
    expect(isMeant(network, error({ name, code }, message))).toBe(true);
  });

  it('does not match a response that axios refuses by its status', () => {
    const refused = error({ code: 'ERR_BAD_RESPONSE', status: 501 }, 'Request failed with status code 501');

    expect(isMeant(network, refused)).toBe(false);
  });

  it('does not match a server that has written another length than it said', () => {
    expect(isMeant(network, error({ code: 'ERR_HTTP_CONTENT_LENGTH_MISMATCH' }))).toBe(false);
  });

  it.each([
    'ECONNRESET',
    'ECONNABORTED',
    'EPIPE',
    'ERR_STREAM_PREMATURE_CLOSE',
    'ETIMEDOUT',
    'ENETDOWN',
    'ENETUNREACH',
    'EHOSTDOWN',
    'EHOSTUNREACH',
    'EAI_AGAIN',
    'UND_ERR_SOCKET',
    'UND_ERR_CONNECT_TIMEOUT',
    'UND_ERR_HEADERS_TIMEOUT',
    'UND_ERR_BODY_TIMEOUT',
  ])('matches %s on the error and on a nested cause', (code) => {
    const wrapped = new Error('x', { cause: new Error('y', { cause: error({ code }) }) });

    expect(isMeant(network, error({ code }))).toBe(true);
    expect(isMeant(network, wrapped)).toBe(true);
  });

  it.each([
    ['Chrome', new TypeError('Failed to fetch')],
    ['Firefox', new TypeError('NetworkError when attempting to fetch resource.')],
    ['Safari', new TypeError('Load failed')],
    // workerd rejects with a plain Error: cloudflare/workerd#7195
    ['Cloudflare Workers', new Error('Network connection lost.')],
    // below 1.4
    [
      'Bun',
      error({ code: 'ConnectionRefused' }, 'Unable to connect. Is the computer able to access the url?'),
    ],
    ['Bun 1.1', error({ code: 'ConnectionClosed' }, 'The socket connection was closed unexpectedly.')],
    // vercel/ai#12048
    [
      'Bun 1.3, for a socket that does not open',
      error({ code: 'FailedToOpenSocket' }, 'Was there a typo in the url or port?'),
    ],
  ])('matches the error of fetch in %s', (_browser, thrown) => {
    expect(isMeant(network, thrown)).toBe(true);
  });

  // as Deno 2.9 rejects, which has no codes; Deno 2.1 rejects with the cause alone, a TypeError
  it.each([
    'error sending request for url (http://h/): client error (Connect): tcp connect error: Connection refused (os error 111)',
    'error sending request from 127.0.0.1:42972 for http://h/ (127.0.0.1:80): client error (SendRequest): connection closed',
  ])('matches the error of fetch in Deno: %s', (message) => {
    const wrapped = new TypeError('fetch failed', { cause: new Error(message) });

    expect(isMeant(network, wrapped)).toBe(true);
    expect(isMeant(network, new TypeError(message))).toBe(true);
  });

  it('matches a body that breaks off in Deno', () => {
    expect(isMeant(network, new TypeError('error reading a body from connection'))).toBe(true);
  });

  it.each([
    ['ky 2', 'Request failed due to a network error: GET http://h/', {}],
    ['axios', 'Network Error', { code: 'ERR_NETWORK' }],
  ])('matches the error of %s for one of fetch in a browser', (_client, message, properties) => {
    const wrapped = new Error(message, { cause: new TypeError('Failed to fetch') });

    expect(isMeant(network, Object.assign(wrapped, properties))).toBe(true);
  });

  it('matches a failed XMLHttpRequest of axios, which has no cause', () => {
    expect(isMeant(network, error({ code: 'ERR_NETWORK' }, 'Network Error'))).toBe(true);
  });

  it('does not match an unknown host, a wrong certificate, or an abort', () => {
    const others = [
      error({ code: 'ENOTFOUND' }),
      error({ code: 'CERT_HAS_EXPIRED' }),
      AbortSignal.abort().reason,
    ];

    expect(others.map((thrown) => isMeant(network, thrown))).toEqual([false, false, false]);
  });

  it.each([
    'dns error: failed to lookup address information: Name or service not known',
    'dns error: failed to lookup address information: nodename nor servname provided, or not known',
    'dns error: No such host is known. (os error 11001)',
    'invalid peer certificate: UnknownIssuer',
  ])('does not match an unknown host or a wrong certificate in Deno: %s', (text) => {
    const message = `error sending request for url (https://h/): client error (Connect): ${text}`;
    const wrapped = new TypeError('fetch failed', { cause: new Error(message) });

    expect(isMeant(network, wrapped)).toBe(false);
    expect(isMeant(network, new TypeError(message))).toBe(false);
  });

  it('does not match another error with a similar message', () => {
    expect(isMeant(network, new Error('Failed to fetch'))).toBe(false);
  });

  it('knows the error of resend that has neither a status nor a cause: it may have been sent', () => {
    const given = {
      name: 'application_error',
      statusCode: null,
      message: 'Unable to fetch data. The request could not be resolved.',
    };
    const thrown = Object.assign(new Error(given.message), given);
    const answered = { ...given, statusCode: 422, message: 'The recipient is invalid.' };

    for (const error of [given, thrown]) {
      expect(isMeant(network, error)).toBe(true);
      expect(isMeant(network.notApplied, error)).toBe(false);
    }
    expect(isMeant(network, answered)).toBe(false);
  });
});

describe('http', () => {
  it.each([408, 425, 429, 500, 502, 503, 504])('matches a Response with the status %d', (status) => {
    expect(isMeant(http, new Response('', { status }))).toBe(true);
  });

  it.each([200, 301, 400, 401, 404, 409, 422, 501, 505])(
    'does not match a response with the status %d',
    (status) => {
      expect(isMeant(http, error({ response: { status } }))).toBe(false);
    },
  );

  it('matches the status 413 only if the server asks for a delay', () => {
    const headers = { 'retry-after': '30' };

    expect(isMeant(http, new Response('', { status: 413 }))).toBe(false);
    expect(isMeant(http, new Response('', { status: 413, headers }))).toBe(true);
    expect(isMeant(http, error({ response: { status: 413, headers } }))).toBe(true);
  });

  it.each([
    ['a framework', { statusCode: 503 }],
    ['axios', { response: { status: 503 } }],
    ['the AWS SDK', { $metadata: { httpStatusCode: 503 } }],
  ])('matches the errors of %s', (_client, properties) => {
    expect(isMeant(http, error(properties))).toBe(true);
  });
});

describe('the halves of a family', () => {
  const policy = definePolicy({ retryOn: [...network, ...http, ...timeouts], idempotent: false });

  function retries(thrown: unknown): boolean {
    return explain(policy, thrown).retries;
  }

  it.each([
    ['a connection that was refused', error({ code: 'ECONNREFUSED' })],
    ['a connect timeout', error({ code: 'ETIMEDOUT' }, 'connect ETIMEDOUT 127.0.0.1:80')],
    ['429', { status: 429 }],
    ['503 with a Retry-After', { status: 503, headers: { 'retry-after': '7' } }],
    [
      'a pool without a free connection',
      error({ name: 'KnexTimeoutError' }, 'Timeout acquiring a connection.'),
    ],
  ])('repeat what is not idempotent after %s', (_kind, thrown) => {
    expect(retries(thrown)).toBe(true);
    expect(explain(policy, thrown).half).toBe('notApplied');
  });

  it.each([
    ['a connection that was lost', error({ code: 'ECONNRESET' })],
    ['502', { status: 502 }],
    ['503 without a delay', { status: 503 }],
    ['a timeout', error({ name: 'TimeoutError' })],
    [
      'several attempts, the last of which was refused',
      new AggregateError([error({ code: 'ECONNRESET' }), error({ code: 'ECONNREFUSED' })]),
    ],
  ])('do not after %s', (_kind, thrown) => {
    expect(retries(thrown)).toBe(false);
    expect(explain(policy, thrown)).toMatchObject({ rule: 'idempotent', half: 'ambiguous' });
  });

  it('expect an attempt timeout only where the policy says so', () => {
    const timeout = new AttemptTimeoutError(5, 1);
    const written = definePolicy({ retryOn: [...network], idempotent: false, retryTimeouts: true });

    expect(retries(timeout)).toBe(false);
    expect(explain(written, timeout).retries).toBe(true);
  });

  it('are refused where no list says what may have been applied', () => {
    expect(() => definePolicy({ idempotent: false })).toThrow(
      "idempotent must not be false where retryOn is 'everything'",
    );
  });
});

/** Messages and codes of drivers that were recorded while a server was away. */
describe('what drivers say of a connection', () => {
  const policy = definePolicy({ retryOn: Object.values(families).flat(), idempotent: false });

  it.each([
    [
      'reset while it was made',
      error({ code: 'ECONNRESET', syscall: 'connect' }, 'connect ECONNRESET 127.0.0.1:1'),
    ],
    ['refused, below node-fetch 2', error({ error: error({}, 'connect ECONNREFUSED 127.0.0.1:1') })],
    ['of ssh2', error({ level: 'protocol' }, 'getConnection: Connection lost before handshake')],
    ['of etcd3, without a code', error({}, '14 UNAVAILABLE: No connection established. Last error: null.')],
  ])('was not made: %s', (_name, thrown) => {
    expect(explain(policy, thrown)).toMatchObject({ retries: true, half: 'notApplied' });
  });

  it.each([
    ['of nodemailer', error({ code: 'ECONNECTION' }, 'Connection closed unexpectedly')],
    ['of basic-ftp', error({}, 'Timeout (control socket)')],
    ['of Wreck', error({}, 'Payload stream closed prematurely')],
    ['of rhea', error({}, 'Unable to open the amqp connection "connection-5" due to operation timeout.')],
    ['of etcd3, without a code', error({}, '14 UNAVAILABLE: Connection dropped')],
  ])('may have been lost: %s', (_name, thrown) => {
    const either = definePolicy({ retryOn: Object.values(families).flat() });
    expect(explain(either, thrown)).toMatchObject({ retries: true, half: 'ambiguous' });
    expect(explain(policy, thrown).retries).toBe(false);
  });

  it.each([
    ['of neo4j', error({ code: 'ServiceUnavailable' }, 'Failed. Caused by: getaddrinfo ENOTFOUND nohost')],
    ['of MongoDB', error({ name: 'MongoServerSelectionError' }, 'getaddrinfo ENOTFOUND nohost')],
    ['of gRPC', error({ code: 14 }, '/a.B/Get UNAVAILABLE: Name resolution failed for target dns:nohost:1')],
  ])('has no host: %s', (_name, thrown) => {
    const either = definePolicy({ retryOn: Object.values(families).flat() });
    expect(explain(either, thrown).retries).toBe(false);
  });
});

describe('aws', () => {
  // S3 answers 400 where the body of a request came too slowly.
  it.each(['RequestTimeout', 'RequestTimeoutException'])(
    'matches %s with status 400, as ambiguous',
    (name) => {
      const error = Object.assign(new Error('slow'), { name, $metadata: { httpStatusCode: 400 } });

      expect(isMeant(families.aws.ambiguous, error)).toBe(true);
      expect(isMeant(families.aws.notApplied, error)).toBe(false);
    },
  );

  it('does not match another failure with status 400', () => {
    const error = Object.assign(new Error('no'), {
      name: 'InternalFailure',
      $metadata: { httpStatusCode: 400 },
    });

    expect(isMeant(families.aws, error)).toBe(false);
  });
});

describe('what is permanent', () => {
  const policy = definePolicy({ retryOn: [...network, ...http, ...timeouts] });

  it.each([
    [
      'a certificate below a status of 500',
      error({ status: 500, cause: error({ code: 'CERT_HAS_EXPIRED' }) }),
    ],
    [
      'a certificate below ERR_NETWORK',
      error({ code: 'ERR_NETWORK', cause: error({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }) }),
    ],
    ['a 400 whose text speaks of a timeout', error({ status: 400 }, 'the field has timed out')],
    [
      'retries that ended with a 400',
      error({ name: 'AI_RetryError', errors: [{ status: 503 }, { status: 400 }] }),
    ],
    ['an abort of the caller', error({ name: 'AbortError', code: 20 }, 'This operation was aborted')],
  ])('is never expected: %s', (_kind, thrown) => {
    expect(explain(policy, thrown).retries).toBe(false);
  });

  it("does not give way to a client's own word", () => {
    expect(explain(policy, error({ statusCode: 409, isRetryable: true })).retries).toBe(false);
    expect(explain(policy, error({ statusCode: 408, isRetryable: true })).retries).toBe(true);
  });

  it('is a refused certificate in every family', () => {
    const refused = error({ isRetryable: true, cause: error({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }) });

    expect(explain(definePolicy({ retryOn: Object.values(families).flat() }), refused).retries).toBe(false);
  });

  it('gives way to a server that says that a retry helps', () => {
    const hinted = error({ status: 400, headers: { 'x-should-retry': 'true' } });

    expect(explain(policy, hinted)).toMatchObject({ retries: true, half: 'ambiguous' });
  });
});

describe('explain, of a family', () => {
  const policy = definePolicy({ retryOn: [...http, ...network] });

  it('says which half matched, and why', () => {
    const lost = error({ networkError: error({ code: 'ECONNRESET' }) });

    expect(explain(policy, { status: 429 }).text).toBe(
      'retryOn[0] expects it, by status 429; nothing was applied.',
    );
    expect(explain(policy, lost).text).toBe(
      'retryOn[4] expects it, by code ECONNRESET of a cause; it may have been applied.',
    );
  });

  it('says what it saw and did not use', () => {
    const refused = { status: 400, headers: { 'retry-after': '7' } };
    const ignoring = definePolicy({ retryOn: [...http], retryAfter: { mode: 'ignore' } });

    expect(explain(policy, refused).unused).toEqual(['status 400', "a server's delay"]);
    expect(explain(ignoring, { ...refused, status: 429 }).unused).toEqual(["a server's delay"]);
    expect(explain(policy, { ...refused, status: 429 }).unused).toBeUndefined();
  });
});
