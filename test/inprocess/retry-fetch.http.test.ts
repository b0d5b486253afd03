import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRetryFetch, type Fetch, httpPolicy } from '@retry/inprocess/fetch';
import { createTestClock, instantRetries } from '@retry/inprocess/testing';
import { Agent, fetch as undiciFetch } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rejectionOf } from './failing.ts';

const AT_ONCE = instantRetries(httpPolicy);
const GATED = { backoff: { type: 'none' }, maxAttempts: 5 } as const;

interface Seen {
  readonly method: string | undefined;
  readonly body: string;
}

let server: Server;
let url: string;
let answer: (call: number, ...args: Parameters<RequestListener>) => void;
const seen: Seen[] = [];

beforeEach(async () => {
  seen.length = 0;
  answer = (_call, _request, response) => response.end('ok');
  server = createServer(async (request, response) => {
    seen.push({ method: request.method, body: await read(request) });
    answer(seen.length, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens on a port
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function read(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** Answers with these statuses in order, then always with the last one. */
function respond(...statuses: readonly number[]): void {
  answer = (call, _request, response) => {
    response.writeHead(statuses[Math.min(call, statuses.length) - 1] ?? 500).end(`answer ${call}`);
  };
}

const dispatched = new Agent();
const throughUndici: Fetch = (input, init) =>
  undiciFetch(`${input}`, { ...init, dispatcher: dispatched } as object) as unknown as Promise<Response>; // undici's own types of the same things

describe.each([
  ['the global fetch', undefined],
  ['undici’s fetch and dispatcher', throughUndici],
])('createRetryFetch over %s', (_name, fetch) => {
  const retrying = createRetryFetch(AT_ONCE, fetch === undefined ? {} : { fetch });

  it('returns the response that comes after failures', async () => {
    respond(503, 429, 200);

    const response = await retrying(url);

    expect([response.status, await response.text()]).toEqual([200, 'answer 3']);
  });

  it('returns the last response when no attempt is left, its body unread', async () => {
    respond(503);

    const response = await retrying(url);

    expect([response.status, await response.text()]).toEqual([503, 'answer 3']);
  });

  it('retries when the connection breaks', async () => {
    answer = (call, request, response) => (call < 3 ? request.socket.destroy() : response.end('ok'));

    const response = await retrying(url);

    expect(await response.text()).toBe('ok');
    expect(seen).toHaveLength(3);
  });

  it('sends a text body again unchanged', async () => {
    respond(503, 200);

    await retrying(url, { method: 'PUT', body: 'all of it' });

    expect(seen).toEqual([
      { method: 'PUT', body: 'all of it' },
      { method: 'PUT', body: 'all of it' },
    ]);
  });
});

describe('createRetryFetch', () => {
  const retrying = createRetryFetch(AT_ONCE);

  it.each(['POST', 'PATCH'])('sends a %s once', async (method) => {
    respond(503);

    const response = await retrying(url, { method, body: 'order' });

    expect(response.status).toBe(503);
    expect(seen).toHaveLength(1);
  });

  it('sends a POST with an Idempotency-Key again', async () => {
    respond(503, 200);

    await retrying(url, { method: 'POST', body: 'order', headers: { 'Idempotency-Key': 'k1' } });

    expect(seen.map(({ body }) => body)).toEqual(['order', 'order']);
  });

  it.each([
    ['a stream', () => new ReadableStream({ start: (stream) => void stream.close() })],
    ['an iterable', () => (async function* () {})()],
  ])('does not replay %s', async (_name, body) => {
    respond(503);

    const response = await retrying(url, { method: 'PUT', body: body(), duplex: 'half' } as object); // newer than the types

    expect(response.status).toBe(503);
    expect(seen).toHaveLength(1);
  });

  it.each([
    ['with a body is sent once', 'PUT', 1],
    ['without a body is sent again', 'GET', 2],
  ])('a Request %s', async (_name, method, times) => {
    respond(503, 200);
    const body = method === 'PUT' ? 'once' : null;

    await retrying(new Request(url, { method, body }));

    expect(seen).toHaveLength(times);
  });

  it.each([404, 501, 304, 200])('does not retry the status %i', async (status) => {
    respond(status);

    expect((await retrying(url)).status).toBe(status);
    expect(seen).toHaveLength(1);
  });

  it('waits as long as Retry-After says', async () => {
    const clock = createTestClock();
    answer = (call, _request, response) =>
      call === 1 ? response.writeHead(503, { 'retry-after': '30' }).end() : response.end('ok');
    const onRetry = vi.fn();

    const result = createRetryFetch(httpPolicy, { clock, onRetry, random: () => 0 })(url);
    await vi.waitFor(() => expect(onRetry).toHaveBeenCalledTimes(1), { timeout: 20_000 });
    await clock.advance('29s');
    expect(seen).toHaveLength(1);
    await clock.advance('1s');

    expect(await (await result).text()).toBe('ok');
  });

  it('rejects immediately with the caller’s reason when the caller aborts', async () => {
    answer = () => {};
    const controller = new AbortController();

    const result = rejectionOf(retrying(url, { signal: controller.signal }));
    await vi.waitFor(() => expect(seen).toHaveLength(1), { timeout: 20_000 });
    controller.abort('enough');

    expect(await result).toBe('enough');
  });

  it('lets the caller abort while the body is read', async () => {
    answer = (_call, _request, response) => response.write('the beginning');
    const controller = new AbortController();

    const response = await retrying(url, { signal: controller.signal });
    const body = rejectionOf(response.text());
    controller.abort(new Error('enough'));

    expect(await body).toEqual(new Error('enough'));
  });

  it('times out an attempt that takes too long, and the next one has its own timeout', async () => {
    answer = (call, _request, response) => void (call > 1 && response.end('ok'));

    const response = await createRetryFetch({ ...AT_ONCE_INPUT, attemptTimeout: 300 })(url);

    expect(await response.text()).toBe('ok');
    expect(seen).toHaveLength(2);
  });

  it.each(['not a url', 'http://'])(
    'fails immediately for a request that cannot be sent: %s',
    async (input) => {
      const [own, common] = [vi.fn(globalThis.fetch), vi.fn(globalThis.fetch)];
      vi.stubGlobal('fetch', common);

      expect(await rejectionOf(createRetryFetch(AT_ONCE)(input))).toBeInstanceOf(TypeError);
      expect(await rejectionOf(createRetryFetch(AT_ONCE, { fetch: own })(input))).toBeInstanceOf(TypeError);
      vi.unstubAllGlobals();

      // The fetch decides what a URL is.
      expect([common, own].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    },
  );

  it('releases the connection of a response that it discards', async () => {
    const cancel = vi.fn();
    const busy = () => new Response(new ReadableStream({ cancel }), { status: 503 });
    const fetch = vi
      .fn()
      .mockImplementationOnce(async () => busy())
      .mockResolvedValueOnce(new Response('ok'));

    await createRetryFetch(AT_ONCE, { fetch })(url);

    expect(cancel).toHaveBeenCalledTimes(1);
  });
});

const AT_ONCE_INPUT = { backoff: { type: 'none' } } as const;

describe('a gate of the policy', () => {
  it('is asked about responses, and may refuse the retry', async () => {
    const asked: unknown[] = [];
    respond(503);
    const retryIf = (response: unknown, { attempt }: { readonly attempt: number }): boolean => {
      asked.push((response as Response).status);
      return attempt < 2;
    };

    const response = await createRetryFetch({ ...GATED, retryIf })(url);

    expect(response.status).toBe(503);
    expect(asked).toEqual([503, 503]);
    expect(seen).toHaveLength(2);
  });

  it('is not asked about a response that is no failure', async () => {
    respond(404);
    const retryIf = vi.fn(() => true);

    await createRetryFetch({ ...GATED, retryIf })(url);

    expect(retryIf).not.toHaveBeenCalled();
  });
});

it('sends a Request with a body once, also where its init has the body null', async () => {
  respond(503);

  const response = await createRetryFetch(GATED)(new Request(url, { method: 'PUT', body: 'abc' }), {
    body: null,
  });

  expect(response.status).toBe(503);
  expect(seen).toEqual([{ method: 'PUT', body: 'abc' }]);
});

it.each([
  ['fetch', {}],
  ['fetch', { name: undefined }],
  ['orders', { name: 'orders' }],
])('names its events %s with %o', async (name, options) => {
  const names: string[] = [];
  respond(503, 200);

  await createRetryFetch(GATED, { ...options, onRetry: (event) => void names.push(event.name) })(url);

  expect(names).toEqual([name]);
});
