import type { PolicyInput } from '@retry/core';
import { definePolicy, InvalidOptionsError, RetryError } from '@retry/core';
import { createRetryBudget } from '@retry/inprocess';
import { createRetryFetch, type Fetch, type RetryFetchOptions } from '@retry/inprocess/fetch';
import { describe, expect, it, type Mock, vi } from 'vitest';
import { rejectionOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const URL_OF_IT = 'https://api.example.com/users/42';
const AT_ONCE = { backoff: { type: 'none' } } as const;
const DOWN = new TypeError('fetch failed', {
  cause: Object.assign(new Error('down'), { code: 'ECONNREFUSED' }),
});

/** Answers with the statuses in order, and throws what is not a status; then always the last one. */
function answering(...answers: readonly unknown[]): Mock<Fetch> {
  let calls = 0;
  return vi.fn(async () => {
    calls += 1;
    const answer = answers[Math.min(calls, answers.length) - 1];
    if (typeof answer !== 'number') throw answer;
    return new Response(null, { status: answer });
  });
}

describe('a policy', () => {
  it.each([
    ['what is written', { ...AT_ONCE, retryOn: [{ status: [418] }] }],
    ['what is defined', definePolicy({ ...AT_ONCE, retryOn: [{ status: [418] }] })],
    ['a policy without rules', AT_ONCE],
  ])('adds to httpPolicy: %s', async (_name, policy) => {
    const fetch = answering(DOWN, 503, 200);

    expect((await createRetryFetch(policy, { fetch })(URL_OF_IT)).status).toBe(200);
  });

  it.each<[string, PolicyInput]>([
    ['idempotent: false', { idempotent: false }],
    ['idempotent: false, and a pattern', { idempotent: false, retryOn: [{ status: 418 }] }],
    ['a cap that its own base would pass', { maxDelay: '50ms', minDelay: '50ms', backoff: { type: 'none' } }],
  ])('is checked together with the policy that it extends: %s', (_name, policy) => {
    expect(() => createRetryFetch(policy)).not.toThrow();
  });

  it.each([
    ["retryOn: 'everything'", { retryOn: 'everything', idempotent: false }, {}],
    ['no retryOn, used alone', { idempotent: false }, { replace: true }],
  ] as const)('is refused with idempotent: false and %s', (_name, policy, options) => {
    expect(() => createRetryFetch(policy, options)).toThrow('idempotent must not be false');
  });

  it.each([
    ['HPE_INVALID_CONSTANT', 1],
    ['ERR_STREAM_PREMATURE_CLOSE', 1],
    ['ECONNRESET', 1],
    [undefined, 1],
    ['ECONNREFUSED', 3],
    ['EAI_AGAIN', 3],
    ['UND_ERR_CONNECT_TIMEOUT', 3],
  ])('with idempotent: false repeats only what was not sent: %s', async (code, times) => {
    const error = new TypeError('fetch failed', {
      ...(code !== undefined && { cause: Object.assign(new Error('no'), { code }) }),
    });
    const [safe, any] = [answering(error), answering(error)];
    const post = { method: 'POST' };
    const options = { methods: ['POST'] };

    await rejectionOf(
      createRetryFetch({ ...AT_ONCE, idempotent: false }, { ...options, fetch: safe })(URL_OF_IT, post),
    );
    await rejectionOf(createRetryFetch(AT_ONCE, { ...options, fetch: any })(URL_OF_IT, post));

    expect([safe, any].map(({ mock }) => mock.calls.length)).toEqual([times, 3]);
  });

  it.each([
    ['does not repeat an unknown host', {}, 1],
    ['repeats an unknown host where retryOn names it', { retryOn: [{ cause: { code: 'ENOTFOUND' } }] }, 3],
  ])('%s', async (_case, policy, times) => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND h'), { code: 'ENOTFOUND' });
    const fetch = answering(new TypeError('fetch failed', { cause }));

    await rejectionOf(createRetryFetch({ ...AT_ONCE, ...policy }, { fetch })(URL_OF_IT));

    expect(fetch).toHaveBeenCalledTimes(times);
  });

  it('adds its own statuses', async () => {
    const fetch = answering(418, 200);

    await createRetryFetch({ ...AT_ONCE, retryOn: [{ status: 418 }] }, { fetch })(URL_OF_IT);

    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it('is used alone under replace: true', async () => {
    const options = { replace: true } as const;
    const policy = { ...AT_ONCE, retryOn: [{ status: 418 }] };
    const [teapot, busy, down] = [answering(418, 200), answering(503), answering(DOWN)];

    await createRetryFetch(policy, { ...options, fetch: teapot })(URL_OF_IT);
    await createRetryFetch(policy, { ...options, fetch: busy })(URL_OF_IT);
    await rejectionOf(createRetryFetch(policy, { ...options, fetch: down })(URL_OF_IT));

    expect([teapot, busy, down].map(({ mock }) => mock.calls.length)).toEqual([2, 1, 1]);
  });

  it("that retries 'nothing' retries nothing", async () => {
    const [busy, down] = [answering(503), answering(DOWN)];

    await createRetryFetch({ ...AT_ONCE, retryOn: 'nothing' }, { fetch: busy })(URL_OF_IT);
    await rejectionOf(createRetryFetch({ ...AT_ONCE, retryOn: 'nothing' }, { fetch: down })(URL_OF_IT));

    expect([busy, down].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  it('may name errors that stop the retrying', async () => {
    const fetch = answering(503);

    await createRetryFetch({ ...AT_ONCE, stopOn: [{ status: 503 }] }, { fetch })(URL_OF_IT);

    expect(fetch).toHaveBeenCalledTimes(1);
  });
});

describe('the price of a retry', () => {
  it('is that of the kind of the response, or of the error', async () => {
    const asked: unknown[] = [];
    const kindOf = (failed: unknown): string => {
      asked.push(failed instanceof Response ? failed.status : failed);
      return failed instanceof Response && failed.status === 429 ? 'throttled' : 'default';
    };
    const costs = { default: 1, throttled: 10 };
    const budget = createRetryBudget({ type: 'token-bucket', capacity: 100, costs, refund: 0 }, { kindOf });
    const policy = { ...AT_ONCE, maxAttempts: 4 };

    await createRetryFetch(policy, { budget, fetch: answering(429, 503, DOWN) })(URL_OF_IT).catch(() => 0);

    expect([...new Set(asked)]).toEqual([429, 503, DOWN]);
    expect(budget.state().tokens).toEqual([100 - 10 - 1 - 1]);
  });
});

describe('which requests are sent again', () => {
  it.each<[RetryFetchOptions, RequestInit, number]>([
    [{}, { method: 'QUERY', body: 'select' }, 3],
    [{}, { method: 'POST' }, 1],
    [{ methods: ['post'] }, { method: 'POST', body: 'text' }, 3],
    [{ methods: ['POST'] }, { method: 'post', body: 'text' }, 3],
    [{ methods: ['POST'] }, { method: 'PATCH' }, 1],
    [{ methods: ['POST'] }, {}, 3],
    [{ methods: ['POST'] }, { method: 'POST', body: new ReadableStream() }, 1],
    [{ isRepeatable: () => true }, { method: 'PATCH' }, 3],
    [{ isRepeatable: () => false }, {}, 1],
    [{ isRepeatable: () => false }, { headers: { 'idempotency-key': 'k1' } }, 1],
    [{ isRepeatable: () => true }, { method: 'PATCH', body: new ReadableStream() }, 1],
  ])('with %o a request with %o is sent %i times', async (options, init, times) => {
    const fetch = answering(503);

    await createRetryFetch(AT_ONCE, { ...options, fetch })(URL_OF_IT, init);

    expect(fetch).toHaveBeenCalledTimes(times);
  });

  it('isRepeatable receives the method, the URL and the headers', async () => {
    const isRepeatable = vi.fn(() => true);
    const init = { method: 'patch', headers: { 'x-safe': '1' } };

    await createRetryFetch(AT_ONCE, { fetch: answering(200), isRepeatable })(new URL(URL_OF_IT), init);

    expect(isRepeatable.mock.calls).toEqual([
      [{ method: 'PATCH', url: URL_OF_IT, headers: new Headers(init.headers) }],
    ]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new RangeError('no idea');
      },
      RangeError,
    ],
    ['answers with a promise', () => Promise.resolve(false), RetryError],
  ])('an isRepeatable that %s fails the call before it is sent', async (_name, isRepeatable, kind) => {
    const fetch = answering(200);
    const options = { fetch, isRepeatable } as object;

    expect(await rejectionOf(createRetryFetch(AT_ONCE, options)(URL_OF_IT))).toBeInstanceOf(kind);
    expect(fetch).not.toHaveBeenCalled();
  });
});

describe('the hooks', () => {
  it('receive the request, the arguments of fetch and a name', async () => {
    const hooks = { onAttempt: vi.fn(), onRetry: vi.fn(), beforeRetry: vi.fn(), onGiveUp: vi.fn() };
    const init = { headers: { accept: 'text/plain' } };

    await createRetryFetch({ ...AT_ONCE, maxAttempts: 2 }, { ...hooks, fetch: answering(503) })(
      URL_OF_IT,
      init,
    );

    for (const hook of Object.values(hooks)) {
      expect(hook.mock.calls[0]?.[0]).toMatchObject({
        name: 'fetch',
        arguments: [URL_OF_IT, init],
        request: { method: 'GET', url: URL_OF_IT },
      });
    }
  });

  it('differ by name and id', async () => {
    const onGiveUp = vi.fn();
    const again = createRetryFetch(
      { ...AT_ONCE, maxAttempts: 1 },
      { fetch: answering(503), name: 'users', onGiveUp: onGiveUp },
    );

    await Promise.all(Array.from({ length: 8 }, () => again(URL_OF_IT)));

    expect(new Set(onGiveUp.mock.calls.map(([{ id }]) => id)).size).toBe(8);
    expect(onGiveUp.mock.calls[0]?.[0].name).toBe('users');
  });
});

describe('an option', () => {
  it.each([
    [{ signal: new AbortController().signal }, 'signal', 'fetch(url, { signal })'],
    [{ retryIfResult: () => true }, 'retryIfResult', 'Known keys are'],
    [{ maxAttempts: 9 }, 'maxAttempts', 'in the policy'],
    [{ fetch: 'undici' }, 'fetch', ''],
    [{ fetch: null }, 'fetch', ''],
    [{ methods: 'POST' }, 'methods', "['POST']"],
    [{ methods: ['POST', 5] }, 'methods', "['POST']"],
    [{ methods: new Array(2) }, 'methods', "['POST']"],
    [{ methods: null }, 'methods', "['POST']"],
    [{ methods: ['BO GUS'] }, 'methods', "['POST']"],
    [{ methods: ['POST, PATCH'] }, 'methods', "['POST']"],
    [{ isRepeatable: true }, 'isRepeatable', ''],
    [{ isRepeatable: async () => true }, 'isRepeatable', 'Await'],
    [{ replace: 'yes' }, 'replace', 'httpPolicy'],
    [{ until: 'end' }, 'until', "'headers'"],
    [{ budget: 5 }, 'budget', 'createRetryBudget'],
    [{ onRetry: 'log' }, 'onRetry', ''],
    [{ dealy: 1 }, 'dealy', 'methods'],
  ])('that is wrong is refused when the fetch is created: %o', (options, path, cure) => {
    try {
      createRetryFetch({}, options as object);
      expect.unreachable('it takes it');
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidOptionsError);
      expect(error).toMatchObject({ problems: [{ path, cure: expect.stringContaining(cure) }] });
    }
  });

  it.each([null, 5, 'fast', new Map(), () => 1])('must be in an object, which %o is not', (given) => {
    expect(() => createRetryFetch({}, given as object)).toThrow(InvalidOptionsError);
    expect(() => createRetryFetch(given as object)).toThrow(InvalidOptionsError);
  });

  it('is reported together with the problems of the policy', () => {
    expect(() => createRetryFetch({ retries: 3 } as object, { until: 'end' } as object)).toThrow(
      /retries(.|\n)*until/,
    );
  });

  it.each(['fetch', 'methods', 'isRepeatable', 'replace', 'until', 'name'])('%s may be undefined', (key) => {
    expect(() => createRetryFetch(undefined, { [key]: undefined })).not.toThrow();
  });

  it('of a request must be a signal, not a controller', async () => {
    const fetch = answering(200);
    const init = { signal: new AbortController() } as object;

    const error = await rejectionOf(createRetryFetch(AT_ONCE, { fetch })(URL_OF_IT, init));

    expect(error).toBeInstanceOf(InvalidOptionsError);
    expect(fetch).not.toHaveBeenCalled();
    expect((await createRetryFetch(AT_ONCE, { fetch })(URL_OF_IT, { signal: null })).status).toBe(200);
  });
});

describe('an init', () => {
  const POST = { method: 'POST', headers: { 'x-a': '1' }, body: 'hello' } as const;
  class Init {
    get method(): string {
      return 'POST';
    }
    get headers(): Readonly<Record<string, string>> {
      return POST.headers;
    }
    get body(): string {
      return POST.body;
    }
  }

  /** The method, header and body that would be sent. */
  const sent = async (call: readonly unknown[]) => {
    const [input, init] = call as Parameters<Fetch>;
    const request = new Request(input, init);
    return [request.method, request.headers.get('x-a'), await request.text()];
  };

  it.each([
    ['a Request', () => new Request('http://old.example/', POST)],
    ['an instance of a class', () => new Init()],
    ['an object that inherits', () => Object.create(POST)],
  ])('that is %s is sent as fetch reads it', async (_, create) => {
    const fetch = answering(200);

    await createRetryFetch({}, { fetch })(URL_OF_IT, create());

    expect(await sent(fetch.mock.lastCall ?? [])).toEqual(['POST', '1', 'hello']);
  });

  it('is read once', async () => {
    let reads = 0;
    const init = Object.defineProperty({}, 'method', {
      enumerable: true,
      get: () => ['PUT', 'GET'][reads++],
    });
    const fetch = answering(200);

    await createRetryFetch({}, { fetch })(URL_OF_IT, init);

    expect([reads, fetch.mock.lastCall?.[1]?.method]).toEqual([1, 'PUT']);
  });

  it('that is a Request decides whether it may be sent again', async () => {
    const [post, remove] = [answering(503), answering(503)];

    await createRetryFetch(AT_ONCE, { fetch: post })(URL_OF_IT, new Request('http://old.example/', POST));
    const request = new Request('http://old.example/', { method: 'DELETE' });
    await createRetryFetch(AT_ONCE, { fetch: remove })(URL_OF_IT, request);

    expect([post, remove].map(({ mock }) => mock.calls.length)).toEqual([1, 3]);
  });

  it.each(['POST', 5, true])('that is %o is refused', async (init) => {
    const fetch = answering(200);
    const error = await rejectionOf(createRetryFetch({}, { fetch })(URL_OF_IT, init as never));

    expect(error).toMatchObject({ code: 'INVALID_OPTIONS', problems: [{ path: 'init', value: init }] });
    expect(fetch).not.toHaveBeenCalled();
  });
});

describe("a fetch of the user's", () => {
  it.each([
    ['node-fetch', Object.assign(new Error('request failed'), { name: 'FetchError', code: 'ECONNREFUSED' })],
    ['axios', Object.assign(new Error('read ECONNRESET'), { name: 'AxiosError', code: 'ECONNRESET' })],
    ['React Native', new TypeError('Network request failed')],
  ])('may fail as %s does', async (_, error) => {
    const fetch = answering(error, 200);

    expect((await createRetryFetch(AT_ONCE, { fetch })(URL_OF_IT)).status).toBe(200);
  });

  it.each(['GET', 'PUT', 'POST'])('may know what a relative URL is relative to: %s', async (method) => {
    const fetch = answering(200);

    expect((await createRetryFetch(AT_ONCE, { fetch })('/users', { method })).status).toBe(200);
  });

  it.each([1, 3])(
    'may answer after its attempt was cut off: the body is cancelled (%i attempts)',
    async (maxAttempts) => {
      const clock = createFakeClock();
      const cancelled: number[] = [];
      let calls = 0;
      const fetch = async (): Promise<Response> => {
        calls += 1;
        const call = calls;
        if (call === 1) await new Promise<void>((resolve) => clock.setTimer(resolve, 45));
        const body = new ReadableStream({ cancel: () => void cancelled.push(call) });
        return new Response(body, { status: call < 3 ? 503 : 200 });
      };
      const policy = {
        maxAttempts,
        attemptTimeout: 30,
        backoff: { type: 'constant', base: 30 },
        jitter: 'none',
      } as const;
      const answer = createRetryFetch(policy, { fetch, clock })(URL_OF_IT).catch(() => undefined);
      await clock.advance(200);

      expect((await answer)?.status).toBe(maxAttempts === 1 ? undefined : 200);
      expect(cancelled).toEqual(maxAttempts === 1 ? [1] : [1, 2]);
    },
  );
});
