import { setTimeout } from 'node:timers/promises';
import { TotalTimeoutError } from '@retry/core';
import { createRetryFetch } from '@retry/inprocess/fetch';
import { createTestClock } from '@retry/inprocess/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { collect } from '../support/old-bytes.ts';
import { rejectionOf } from './failing.ts';
import { type HttpServer, startServer } from './http-server.ts';

const POLICY = { backoff: { type: 'none' }, totalTimeout: '1m' } as const;

let server: HttpServer;

beforeAll(async () => {
  server = await startServer((request, response) => {
    if (request.url === '/ok') return void response.end('{"all":"of it"}');
    response.writeHead(request.url === '/busy' ? 503 : 200).write('the beginning');
  });
});

afterAll(() => server.close());

describe('a body that hangs', () => {
  it.each(['text', 'json', 'arrayBuffer', 'blob'] as const)(
    'ends with the total timeout where %s() reads it',
    async (method) => {
      const clock = createTestClock();

      const response = await createRetryFetch(POLICY, { clock })(server.url);
      const read = rejectionOf(response[method]());
      await clock.advance('59s');
      await clock.advance('1s');

      expect(await read).toBeInstanceOf(TotalTimeoutError);
      expect(await read).toMatchObject({ code: 'TOTAL_TIMEOUT', timeoutMs: 60_000 });
      expect(clock.pendingTimers()).toBe(0);
    },
  );

  it('ends with the total timeout while its stream is read', async () => {
    const clock = createTestClock();

    const response = await createRetryFetch(POLICY, { clock })(server.url);
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('the beginning');
    const rest = rejectionOf(reader?.read() ?? Promise.resolve());
    await clock.advance('1m');

    expect(await rest).toBeInstanceOf(TotalTimeoutError);
  });

  it('ends with the total timeout, also when it is read only afterwards', async () => {
    const clock = createTestClock();

    const response = await createRetryFetch(POLICY, { clock })(server.url);
    await clock.advance('1m');

    expect(await rejectionOf(response.text())).toBeInstanceOf(TotalTimeoutError);
  });

  it('ends for a fetch that ignores its signal', async () => {
    const clock = createTestClock();
    const fetch = async (): Promise<Response> => new Response(new ReadableStream());

    const response = await createRetryFetch(POLICY, { clock, fetch })(server.url);
    const read = rejectionOf(response.text());
    await clock.advance('1m');

    expect(await read).toBeInstanceOf(TotalTimeoutError);
  });

  it.each<[string, (response: Response) => Promise<unknown>]>([
    ['a reader', async ({ body }) => body?.getReader().read()],
    ['for await', async ({ body }) => body?.[Symbol.asyncIterator]().next()],
    ['a clone', (response) => response.clone().text()],
    ['what was cloned', (response) => response.clone() && readAll(response)],
    ['a frozen response', (response) => Object.freeze(response).text()],
  ])('ends for a fetch that ignores its signal, read by %s', async (_name, read) => {
    const clock = createTestClock();
    const fetch = async (): Promise<Response> => new Response(new ReadableStream());

    const response = await createRetryFetch(POLICY, { clock, fetch })(server.url);
    const error = rejectionOf(read(response));
    await clock.advance('1m');

    expect(await error).toBeInstanceOf(TotalTimeoutError);
  });

  it('ends also for a request that is sent once, and for a response that was refused to the end', async () => {
    const clock = createTestClock();
    const again = createRetryFetch({ ...POLICY, maxAttempts: 2 }, { clock });

    const posted = await again(server.url, { method: 'POST', body: 'order' });
    const refused = await again(`${server.url}busy`);
    const reads = [rejectionOf(posted.text()), rejectionOf(refused.text())];
    await clock.advance('1m');

    expect(refused.status).toBe(503);
    for (const read of reads) expect(await read).toBeInstanceOf(TotalTimeoutError);
    expect(clock.pendingTimers()).toBe(0);
  });

  it("outlives the total timeout only under until: 'headers'", async () => {
    const clock = createTestClock();
    const ended = vi.fn();

    const response = await createRetryFetch(POLICY, { clock, until: 'headers' })(server.url);
    response.text().then(ended, ended);
    await clock.advance('1h');

    expect(ended).not.toHaveBeenCalled();
    expect(clock.pendingTimers()).toBe(0);
    await response.body?.cancel().catch(() => undefined);
  });
});

describe('a body that arrives', () => {
  it('leaves no timer, and the response is that of fetch', async () => {
    const clock = createTestClock();

    const response = await createRetryFetch(POLICY, { clock })(`${server.url}ok`);
    const copy = response.clone();

    expect(await response.json()).toEqual({ all: 'of it' });
    expect(clock.pendingTimers()).toBe(0);
    expect(await copy.text()).toBe('{"all":"of it"}');
    expect([response.url, response.type, response.constructor]).toEqual([
      `${server.url}ok`,
      'basic',
      Response,
    ]);
  });
});

async function readAll({ body }: Response): Promise<void> {
  const reader = body?.getReader();
  while ((await reader?.read())?.done === false);
}

describe('the timer of the total timeout ends', () => {
  const fetch = async (): Promise<Response> => new Response('all of it');

  it.each<[string, (response: Response) => unknown]>([
    ['is read by a reader', readAll],
    ['is read by for await', ({ body }) => iterate(body)],
    ['is left by for await', ({ body }) => iterate(body, 1)],
    ['is cancelled', ({ body }) => body?.cancel()],
    ['is cancelled by its reader', ({ body }) => body?.getReader().cancel()],
    ['is read from a clone', (response) => response.clone().text()],
  ])('when the body %s', async (_name, end) => {
    const clock = createTestClock();

    const response = await createRetryFetch(POLICY, { clock, fetch })(server.url);
    expect(clock.pendingTimers()).toBe(1);
    await end(response);

    await vi.waitFor(() => expect(clock.pendingTimers()).toBe(0), { timeout: 20_000 });
  });

  it('not when half of a cloned body is cancelled', async () => {
    const clock = createTestClock();

    const response = await createRetryFetch(POLICY, { clock })(server.url);
    const copy = response.clone();
    void copy.body?.cancel();
    const read = rejectionOf(response.text());
    await clock.advance('1m');

    expect(await read).toBeInstanceOf(TotalTimeoutError);
  });

  it.each([
    ['during the wait', 'busy'],
    ['after the head', ''],
  ])('when the caller aborts %s', async (_name, path) => {
    const clock = createTestClock();
    const controller = new AbortController();
    const policy = { ...POLICY, backoff: { type: 'constant', base: '10s' } } as const;
    const onRetry = vi.fn();

    const call = createRetryFetch(policy, { clock, onRetry })(`${server.url}${path}`, controller);
    const settled = Promise.allSettled([call]);
    if (path === '') await settled;
    else await vi.waitFor(() => expect(onRetry).toHaveBeenCalled(), { timeout: 20_000 });
    controller.abort('enough');
    await settled;

    expect(clock.pendingTimers()).toBe(0);
  });

  it('when the body can no longer be read, and keeps neither it nor the call', async () => {
    const clock = createTestClock();
    const retrying = createRetryFetch(POLICY, { clock, fetch });
    let collected = 0;
    const registry = new FinalizationRegistry(() => {
      collected += 1;
    });

    const ignoreMany = async (): Promise<void> => {
      for (let count = 0; count < 20; count += 1) registry.register(await retrying(server.url), undefined);
    };
    await ignoreMany();
    // The engine may hold what it was given last, for example in a register of a function that has returned.
    await createRetryFetch(POLICY, { clock: createTestClock(), fetch })(server.url);

    await vi.waitFor(async () => {
      collect();
      await setTimeout(1);
      expect([clock.pendingTimers(), collected]).toEqual([0, 20]);
    }, 10_000);
  });
});

async function iterate(body: ReadableStream | null, limit = Infinity): Promise<void> {
  let count = 0;
  for await (const _ of body ?? []) if (++count >= limit) break;
}
