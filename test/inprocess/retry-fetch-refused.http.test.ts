import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { createCircuitBreaker, createRetryGroup } from '@retry/inprocess';
import { createRetryFetch, type Fetch } from '@retry/inprocess/fetch';
import { createTestClock } from '@retry/inprocess/testing';
import { Agent, fetch as undiciFetch } from 'undici';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { rejectionOf } from './failing.ts';
import { type HttpServer, startServer } from './http-server.ts';

const AT_ONCE = { backoff: { type: 'none' } } as const;
const WAITING = { backoff: { type: 'constant', base: '1h' }, jitter: 'none' } as const;
const URL_OF_IT = 'http://api.example.com/';

/** What a mock answers with, and what node-fetch does. */
type Answer = Readonly<Record<string, unknown>>;

/** Answers 503 twice, then 200. */
function mocking(answer: Answer): Fetch {
  let calls = 0;
  const fetch = async (): Promise<unknown> => {
    calls += 1;
    return { ...answer, status: calls < 3 ? 503 : 200 };
  };
  return fetch as Fetch; // as far as a test needs it
}

describe('a refused response', () => {
  it.each<[string, () => Answer]>([
    ['a stream of Node', () => ({ body: Readable.from(['x']) })],
    ['text', () => ({ body: 'text' })],
    ['nothing', () => ({})],
    ['a stream that is locked', () => new Response('x') as unknown as Answer],
    ['a stream whose cancel() throws', () => ({ body: { cancel: () => expect.fail('own') } })],
  ])('may have as its body %s', async (_name, answer) => {
    const { signal } = new AbortController();
    const policy = { ...AT_ONCE, totalTimeout: '1m' } as const;

    const response = await createRetryFetch(policy, { fetch: mocking(answer()) })(URL_OF_IT, { signal });

    expect(response.status).toBe(200);
  });

  it('with a stream of Node is destroyed', async () => {
    const body = Readable.from(['x']);

    await createRetryFetch(AT_ONCE, { fetch: mocking({ body }) })(URL_OF_IT);

    await vi.waitFor(() => expect(body.destroyed).toBe(true), { timeout: 20_000 });
  });

  it('stays readable where a mock answers with it each time', async () => {
    const same = new Response('why', { status: 503 });

    const response = await createRetryFetch(AT_ONCE, { fetch: async () => same })(URL_OF_IT);

    expect(await response.text()).toBe('why');
  });

  it('stays readable where the call ends with it in the wait', async () => {
    const group = createRetryGroup();
    const fetch: Fetch = async () => new Response('x'.repeat(200_000), { status: 503 });

    const call = createRetryFetch(WAITING, { group, fetch })(URL_OF_IT);
    await setTimeout(10);
    group.drain();

    expect(await (await call).text()).toHaveLength(200_000);
  });

  it('can be read by onRetry and beforeRetry', async () => {
    const read: string[] = [];
    const fetch: Fetch = async () => new Response('why', { status: 503 });
    const policy = { ...AT_ONCE, maxAttempts: 2 } as const;
    const add = async ({ result }: { readonly result?: unknown }): Promise<void> => {
      read.push(await (result as Response).text());
    };

    await createRetryFetch(policy, { fetch, onRetry: add })(URL_OF_IT);
    await createRetryFetch(policy, { fetch, beforeRetry: add })(URL_OF_IT);

    expect(read).toEqual(['why', 'why']);
  });
});

describe('the connection of a refused response', () => {
  let server: HttpServer;
  let sockets: Set<unknown>;
  const agents: Agent[] = [];

  beforeAll(async () => {
    sockets = new Set();
    server = await startServer((request, response) => {
      sockets.add(request.socket);
      const size = Number(request.url?.slice(1));
      if (size > 0) response.writeHead(503).end('x'.repeat(size));
      else response.end('other');
    });
  });

  afterEach(() => Promise.all(agents.splice(0).map((agent) => agent.destroy())));
  afterAll(() => server.close());

  /** Has one connection. */
  function throughOne(): Fetch {
    const dispatcher = new Agent({ connections: 1 });
    agents.push(dispatcher);
    const fetch = (input: unknown, init: object): unknown => undiciFetch(`${input}`, { ...init, dispatcher });
    return fetch as Fetch; // undici's own types of the same things
  }

  it.each([4, 20_000, 60_000])('serves others during the wait, if its body has %i bytes', async (size) => {
    const fetch = throughOne();
    const controller = new AbortController();
    const onRetry = vi.fn();
    sockets.clear();

    const call = rejectionOf(
      createRetryFetch(WAITING, { fetch, onRetry })(`${server.url}${size}`, controller),
    );
    await vi.waitFor(() => expect(onRetry).toHaveBeenCalled(), { timeout: 20_000 });
    const other = await fetch(server.url);

    expect(await other.text()).toBe('other');
    expect(sockets.size).toBe(1);
    controller.abort('enough');
    expect(await call).toBe('enough');
  });

  it.each(['1m', 'Infinity'] as const)(
    'is closed by an abort in the wait, whatever is left of its body, under totalTimeout: %s',
    async (totalTimeout) => {
      const rejected = vi.fn();
      process.on('unhandledRejection', rejected);
      const fetch = throughOne();
      const controller = new AbortController();
      const onRetry = vi.fn();
      const policy = { ...WAITING, backoff: { type: 'constant', base: '10s' }, totalTimeout } as const;

      const call = rejectionOf(
        createRetryFetch(policy, { fetch, onRetry })(`${server.url}5000000`, controller),
      );
      await vi.waitFor(() => expect(onRetry).toHaveBeenCalled(), { timeout: 20_000 });
      await setTimeout(20);
      controller.abort('enough');

      expect(await call).toBe('enough');
      expect(await (await fetch(server.url)).text()).toBe('other');
      process.off('unhandledRejection', rejected);
      expect(rejected).not.toHaveBeenCalled();
    },
  );
});

describe('a response that retryOn and stopOn name', () => {
  it('neither closes nor opens a circuit breaker, and is the result', async () => {
    const states: string[] = [];
    const clock = createTestClock();
    const circuitBreaker = createCircuitBreaker({
      ...{ minimumThroughput: 1, failureRatio: 0.1, breakDuration: '1s', clock },
      onStateChange: ({ to }) => states.push(to),
    });
    const onGiveUp = vi.fn();
    const statuses = [503, 500];
    const fetch: Fetch = async () => new Response('why', { status: statuses.shift() ?? 200 });
    const policy = { ...AT_ONCE, maxAttempts: 1, stopOn: [{ status: 500 }] } as const;
    const retrying = createRetryFetch(policy, { circuitBreaker, fetch, clock, onGiveUp });

    await retrying(URL_OF_IT);
    await clock.advance('1s');
    const stopped = await retrying(URL_OF_IT);

    expect([stopped.status, await stopped.text()]).toEqual([500, 'why']);
    expect(states).toEqual(['open', 'half-open']);
    const error = { code: 'RESULT_REFUSED', status: 500 };
    expect(onGiveUp.mock.lastCall?.[0]).toMatchObject({ reason: 'stopped', result: stopped, error });
  });
});

it.each([undefined, null, 'text'])(
  'a fetch that returns %s is named, and not called again',
  async (answer) => {
    const fetch = vi.fn(async () => answer) as unknown as Fetch;
    const policy = { ...AT_ONCE, retryOn: [Error] } as const;

    const error = await rejectionOf(createRetryFetch(policy, { fetch, replace: true })(URL_OF_IT));

    expect(error).toMatchObject({ code: 'INVALID_OPTIONS', problems: [{ path: 'fetch', value: answer }] });
    expect(fetch).toHaveBeenCalledTimes(1);
  },
);
