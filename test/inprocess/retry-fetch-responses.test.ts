import type { PolicyInput } from '@retry/core';
import { decide, definePolicy } from '@retry/core';
import { http, network } from '@retry/core/errors';
import { createCircuitBreaker } from '@retry/inprocess';
import { createRetryFetch, type Fetch } from '@retry/inprocess/fetch';
import { createTestClock } from '@retry/inprocess/testing';
import { describe, expect, it, type Mock, vi } from 'vitest';

const URL_OF_IT = 'https://api.example.com/users/42';
const AT_ONCE = { backoff: { type: 'none' }, maxAttempts: 2 } as const;

type Rules = Pick<PolicyInput, 'retryOn' | 'stopOn'>;

function answering(status: number, headers: Readonly<Record<string, string>> = {}): Mock<Fetch> {
  return vi.fn(async () => new Response('why', { status, headers }));
}

async function timesSent(rules: Rules, fetch: Mock<Fetch>): Promise<number> {
  await createRetryFetch({ ...AT_ONCE, ...rules }, { fetch, reportError: () => undefined })(URL_OF_IT);
  return fetch.mock.calls.length;
}

class CompanyError extends Error {}

describe('a response of less than 400 is no failure', () => {
  it.each<[string, Rules]>([
    ['a pattern that an empty message matches', { retryOn: [{ message: /^(?!fatal)/ }] }],
    ['such a pattern with its status', { retryOn: [{ status: 200, message: /^(?!fatal)/ }] }],
    ['a delay of its own', { retryOn: [{ retryAfter: true }] }],
    ['the name of its class', { retryOn: [{ name: 'Response' }] }],
    ['a name of every object', { retryOn: [{ name: 'Object' }] }],
    ['its class', { retryOn: [Response] }],
    ['classes of errors', { retryOn: [CompanyError, Error] }],
    ['another status', { retryOn: [{ status: 202 }] }],
    ['a predicate that says no', { retryOn: [() => false] }],
  ])('whatever retryOn has: %s', async (_name, rules) => {
    expect(await timesSent(rules, answering(200, { 'retry-after': '0' }))).toBe(1);
  });

  it.each<[string, Rules]>([
    ['a description that names its status', { retryOn: [{ status: [202] }] }],
    ['one that names it, and a delay', { retryOn: [{ status: 202, retryAfter: true }] }],
    ['a predicate', { retryOn: [(response) => (response as Response).status === 202] }],
  ])('unless retryOn has %s', async (_name, rules) => {
    expect(await timesSent(rules, answering(202, { 'retry-after': '0' }))).toBe(2);
  });
});

describe('a response of 400 and more', () => {
  it.each<[string, Rules, number]>([
    ['its status', { retryOn: [{ status: 404 }] }, 2],
    ['a delay', { retryOn: [{ retryAfter: true }] }, 2],
    ['its class', { retryOn: [Response] }, 2],
    ['a predicate', { retryOn: [() => true] }, 2],
    ['a message: a response has none', { retryOn: [{ message: /^(?!fatal)/ }] }, 1],
    ['another class', { retryOn: [CompanyError] }, 1],
  ])('is refused by retryOn as an error is: %s', async (_name, rules, times) => {
    expect(await timesSent(rules, answering(404, { 'retry-after': '0' }))).toBe(times);
  });

  it('is not the last because stopOn has a pattern that an empty message matches', async () => {
    expect(await timesSent({ stopOn: [{ message: /^(?!busy)/ }] }, answering(503))).toBe(2);
  });
});

describe('a predicate of retryOn that throws', () => {
  const retryOn = [(error: unknown): boolean => (error as Error).message.startsWith('busy')];

  it('leaves a response of less than 400 a success, which closes a circuit breaker, and is reported', async () => {
    const clock = createTestClock();
    const circuitBreaker = createCircuitBreaker({ minimumThroughput: 1, breakDuration: '1s', clock });
    const [onGiveUp, reportError] = [vi.fn(), vi.fn()];
    circuitBreaker.permit().fail();
    await clock.advance('1s');
    const options = { fetch: answering(200), circuitBreaker, clock, onGiveUp, reportError };

    const response = await createRetryFetch({ ...AT_ONCE, retryOn }, options)(URL_OF_IT);

    expect([response.status, circuitBreaker.state]).toEqual([200, 'closed']);
    expect(onGiveUp).not.toHaveBeenCalled();
    expect(reportError.mock.calls).toEqual([[expect.any(TypeError)]]);
  });

  it('ends the retrying of a response of 400 and more', async () => {
    const [onGiveUp, reportError] = [vi.fn(), vi.fn()];
    const fetch = answering(404);

    await createRetryFetch({ ...AT_ONCE, retryOn }, { fetch, onGiveUp, reportError })(URL_OF_IT);

    expect(onGiveUp.mock.lastCall?.[0]).toMatchObject({ reason: 'stopped', thrown: expect.any(TypeError) });
    expect(reportError.mock.calls).toEqual([[expect.any(TypeError)]]);
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});

describe('a response is sent again exactly where an error of its status is', () => {
  const statuses = [403, 404, 408, 413, 425, 429, 500, 502, 503, 504, 520, 522, 523, 529];
  const lists: readonly [string, PolicyInput['retryOn']][] = [
    ['families', [...network, ...http]],
    ['own patterns', [{ status: [500, 404] }, { status: 404, ambiguous: true }]],
    ['one half', http.notApplied],
  ];
  const cases = lists.flatMap(([name, retryOn]) =>
    [true, false].flatMap((idempotent) =>
      [{}, { 'retry-after': '0' }].map((headers) => ({ name, retryOn, idempotent, headers })),
    ),
  );

  it.each(cases)('$name, idempotent: $idempotent, $headers', async ({ retryOn, idempotent, headers }) => {
    const input = { ...AT_ONCE, retryOn, idempotent } as const;
    const policy = definePolicy(input);
    const context = { now: 0, random: Math.random };

    for (const status of statuses) {
      const fetch = answering(status, headers);
      const response = new Response('why', { status, headers });
      const isRepeated = decide(policy, { failures: 1 }, { error: response }, context).type === 'retry';

      const sent = createRetryFetch(input, { fetch, replace: true, methods: ['POST'] });

      expect([status, (await sent(URL_OF_IT, { method: 'POST' })).status]).toEqual([status, status]);
      expect([status, fetch.mock.calls.length]).toEqual([status, isRepeated ? 2 : 1]);
    }
  });
});
