import { definePolicy, InvalidOptionsError, RetryError } from '@retry/core';
import { createRetryFetch, type Fetch, type RetryFetchOptions } from '@retry/inprocess/fetch';
import { describe, expect, it, type Mock, vi } from 'vitest';
import { rejectionOf } from './failing.ts';

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
    [{ methods: null }, 'methods', "['POST']"],
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
