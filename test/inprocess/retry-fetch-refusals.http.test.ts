import { matchesError } from '@retry/core';
import { network } from '@retry/core/errors';
import { retryInfo } from '@retry/inprocess';
import { createRetryFetch, type Fetch, type RetryFetchOptions } from '@retry/inprocess/fetch';
import { fetch as undiciFetch } from 'undici';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { rejectionOf } from './failing.ts';
import { type HttpServer, startServer } from './http-server.ts';

const AT_ONCE = { backoff: { type: 'none' } } as const;
const WRONG_DIGEST = 'sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=';

let server: HttpServer;

beforeAll(async () => {
  server = await startServer((request, response) => {
    const target = new Map([
      ['/loop', '/loop'],
      ['/elsewhere', '/'],
      ['/nowhere', 'http://['],
      ['/ftp', 'ftp://example.com/'],
    ]).get(request.url ?? '');
    if (request.url === '/reset') return void request.socket.destroy();
    if (target === undefined) return void response.end('ok');
    response.writeHead(302, { location: target }).end();
  });
});

afterAll(() => server.close());

const NEVER: readonly (readonly [string, string, RequestInit])[] = [
  ['a GET with a body', '', { body: 'text' }],
  ['a HEAD with a body', '', { method: 'HEAD', body: 'text' }],
  ['an unknown scheme', 'gopher://example.com/', {}],
  ['a file', 'file:///etc/hosts', {}],
  ['a bad port', 'http://127.0.0.1:1/', {}],
  ["a redirect under redirect: 'error'", 'elsewhere', { redirect: 'error' }],
  ['a redirect loop', 'loop', {}],
  ['a redirect to what is no URL', 'nowhere', {}],
  ['a redirect to another scheme', 'ftp', {}],
  ['an integrity mismatch', '', { integrity: WRONG_DIGEST }],
  ['a header name that is invalid', '', { headers: { 'bad name': '1' } }],
  ['a header value that is invalid', '', { headers: { name: 'a\nb' } }],
  ['a header that cannot be sent', '', { headers: { 'transfer-encoding': 'chunked' } }],
  ['a length that the body has not', '', { method: 'PUT', body: 'abc', headers: { 'content-length': '7' } }],
  ['what is no URL', 'http://', {}],
  ['a URL with credentials', 'http://me:secret@127.0.0.1/', {}],
  ['a method that is forbidden', '', { method: 'TRACE' }],
];

/** Undici's own copy accepts the same, by its own types. */
const throughUndici: Fetch = (input, init) =>
  undiciFetch(`${input}`, init as object) as unknown as Promise<Response>;

describe.each<[string, RetryFetchOptions]>([
  ['the global fetch', {}],
  ['undici’s fetch', { fetch: throughUndici }],
])('%s', (_name, options) => {
  it.each(NEVER)('fails immediately with its own error for %s', async (_case, path, init) => {
    const url = /^[a-z]+:/.test(path) ? path : server.url + path;
    const onAttempt = vi.fn();

    const error = await rejectionOf(createRetryFetch(AT_ONCE, { ...options, onAttempt })(url, init));

    expect(error).toBeInstanceOf(TypeError);
    expect(onAttempt.mock.calls.length).toBeLessThanOrEqual(1);
    expect(retryInfo(error)?.reason ?? 'stopped').toBe('stopped');
  });

  it.each([
    ['a connection that breaks', () => `${server.url}reset`],
    ['a server that is not there', () => 'http://127.0.0.1:59999/'],
  ])('retries %s', async (_case, url) => {
    const onAttempt = vi.fn();

    await rejectionOf(createRetryFetch(AT_ONCE, { ...options, onAttempt })(url()));

    expect(onAttempt).toHaveBeenCalledTimes(3);
  });
});

describe('a redirect loop', () => {
  it('is followed once, not once for each attempt', async () => {
    const before = server.requests();

    await rejectionOf(createRetryFetch(AT_ONCE)(`${server.url}loop`));

    expect(server.requests() - before).toBe(21);
  });

  it('fails immediately with a policy that replaces the default, too', async () => {
    const onAttempt = vi.fn();
    const policy = { ...AT_ONCE, retryOn: [TypeError] };

    await rejectionOf(createRetryFetch(policy, { replace: true, onAttempt })(`${server.url}loop`));

    expect(onAttempt).toHaveBeenCalledTimes(1);
  });
});

/** As the global fetch of Node and of Deno reject, of an older Deno, and of Bun. */
const FAILURES: readonly (readonly [string, Error])[] = [
  ...[
    ...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ETIMEDOUT'],
    ...['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'CERT_HAS_EXPIRED', 'UND_ERR_SOCKET', 'UND_ERR_DESTROYED'],
  ].flatMap((code): readonly (readonly [string, Error])[] => {
    const cause = Object.assign(new Error('no'), { code });
    return [
      [`${code} below`, new TypeError('fetch failed', { cause })],
      [code, Object.assign(new TypeError('Unable to connect.'), { code })],
    ];
  }),
  ...[
    'dns error: failed to lookup address information: Name or service not known',
    'dns error: failed to lookup address information: Temporary failure in name resolution',
    'dns error: No such host is known. (os error 11001)',
    'invalid peer certificate: UnknownIssuer',
    'tcp connect error: Connection refused (os error 111)',
  ].flatMap((text): readonly (readonly [string, Error])[] => {
    const message = `error sending request for url (https://certificate.example/): client error (Connect): ${text}`;
    return [
      [`${text}, below`, new TypeError('fetch failed', { cause: new Error(message) })],
      [text, new TypeError(message)],
    ];
  }),
];

describe('a connection that fails', () => {
  it.each(FAILURES)('is retried by createRetryFetch as by network: %s', async (_case, failure) => {
    const fetch = vi.fn(async () => {
      throw failure;
    });
    const isExpected = network.some((pattern) => matchesError(pattern, failure));

    await rejectionOf(createRetryFetch(AT_ONCE, { fetch })(server.url));

    expect(fetch).toHaveBeenCalledTimes(isExpected ? 3 : 1);
  });

  it('is expected where the resolver may know the host later', () => {
    const expected = FAILURES.filter(([, failure]) =>
      network.some((pattern) => matchesError(pattern, failure)),
    ).map(([name]) => name);

    expect(expected).toEqual(expect.arrayContaining(['EAI_AGAIN', 'EAI_AGAIN below']));
    expect(expected).not.toEqual(expect.arrayContaining(['ENOTFOUND']));
  });
});

describe('a certificate that is refused', () => {
  it.each([
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('fails immediately: %s', async (code) => {
    const fetch = vi.fn(async () => {
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code }) });
    });

    const error = await rejectionOf(createRetryFetch(AT_ONCE, { fetch })(server.url));

    expect(retryInfo(error)).toMatchObject({ attempts: 1, reason: 'stopped' });
  });
});

/** As Bun 1.4 and Deno 2.9 reject; Deno 2.1 rejects with the cause alone. */
describe('a request that Bun or Deno refuses', () => {
  const certificate =
    'error sending request for url (https://h/): client error (Connect): invalid peer certificate: UnknownIssuer';

  it.each([
    ['a certificate in Bun', 'self signed certificate', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }],
    ['an unknown scheme in Bun', 'protocol must be http:, https: or s3:', { code: 'ERR_INVALID_ARG_VALUE' }],
    ['a redirect in Bun', 'UnexpectedRedirect fetching "http://h/".', { code: 'UnexpectedRedirect' }],
    ['a redirect loop in Bun', 'TooManyRedirects: too many times.', { code: 'TooManyRedirects' }],
    ['a certificate in Deno', 'fetch failed', { cause: new Error(certificate) }],
    ['a certificate in an older Deno', certificate, {}],
    ['an unknown scheme in Deno', "Url scheme 'foo' not supported", {}],
    ['a bad port in Deno', 'Fetch failed: Requests to port 25 are blocked', {}],
    ['a redirect in Deno', "Fetch failed: Encountered redirect while redirect mode is set to 'error'", {}],
    ['a redirect loop in Deno', 'Fetch failed: Maximum number of redirects (20) reached', {}],
  ])('fails immediately: %s', async (_case, message, properties) => {
    const fetch = vi.fn(async () => {
      throw Object.assign(new TypeError(message), properties);
    });

    const error = await rejectionOf(createRetryFetch(AT_ONCE, { fetch })(server.url));

    expect(retryInfo(error)).toMatchObject({ attempts: 1, reason: 'stopped' });
  });

  it.each([
    ['a certificate', 'self signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['a redirect', 'UnexpectedRedirect fetching "http://h/".', 'UnexpectedRedirect'],
    ['a redirect loop', 'The response redirected too many times.', 'TooManyRedirects'],
  ])(
    'fails immediately with any policy: %s in Bun below 1.4, which rejects with no TypeError',
    async (_case, message, code) => {
      const fetch = vi.fn(async () => {
        throw Object.assign(new Error(message), { code });
      });
      const policy = { ...AT_ONCE, retryOn: [Error] };

      const error = await rejectionOf(createRetryFetch(policy, { fetch })(server.url));

      expect(retryInfo(error)).toMatchObject({ attempts: 1, reason: 'stopped' });
    },
  );

  it('is retried when its connection is refused in Bun below 1.4, which rejects with no TypeError', async () => {
    const fetch = vi.fn(async () => {
      throw Object.assign(new Error('Unable to connect.'), { code: 'ConnectionRefused' });
    });

    const error = await rejectionOf(createRetryFetch(AT_ONCE, { fetch })(server.url));

    expect(retryInfo(error)).toMatchObject({ attempts: 3, reason: 'exhausted' });
  });

  it.each([
    ['Bun', 'ECONNREFUSED: Unable to connect.', { code: 'ECONNREFUSED' }],
    [
      'Deno',
      'fetch failed',
      { cause: new Error('error sending request for url (http://h/): tcp connect error') },
    ],
  ])('is retried when its connection fails in %s', async (_runtime, message, properties) => {
    const fetch = vi.fn(async () => {
      throw Object.assign(new TypeError(message), properties);
    });

    const error = await rejectionOf(createRetryFetch(AT_ONCE, { fetch })(server.url));

    expect(retryInfo(error)).toMatchObject({ attempts: 3, reason: 'exhausted' });
  });
});
