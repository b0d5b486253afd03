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
    ['a name that is not found', () => 'http://no-such-host.invalid/'],
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
