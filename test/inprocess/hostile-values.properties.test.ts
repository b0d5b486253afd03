import { setImmediate } from 'node:timers/promises';
import type { Matcher } from '@retry/core';
import {
  type AttemptContext,
  createRetryBudget,
  createRetryGroup,
  type RetryOptions,
  retry,
  retryInfo,
  retryIterable,
  tryRetry,
  withRetry,
} from '@retry/inprocess';
import { createRetryFetch } from '@retry/inprocess/fetch';
import { guardNestedRetries, publishDiagnostics } from '@retry/inprocess/node';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const trap = (): never => {
  throw new Error('do not look');
};

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** Values that throw when they are read. */
const HOSTILE: Readonly<Record<string, () => unknown>> = {
  'a revoked Proxy': () => revoked({}),
  'a revoked Proxy of an error': () => revoked(new Error('gone')),
  'a revoked Proxy of a function': () => revoked(() => 1),
  'a revoked Proxy of a list': () => revoked([]),
  'a prototype that cannot be read': () => new Proxy(new Error('hidden'), { getPrototypeOf: trap }),
  'properties that cannot be read': () => new Proxy({}, { get: trap }),
  'keys that cannot be asked for': () =>
    new Proxy(
      {},
      { has: trap, get: trap, ownKeys: trap, getOwnPropertyDescriptor: trap, getPrototypeOf: trap },
    ),
  'getters that throw': () =>
    Object.defineProperties(
      Object.create(Error.prototype),
      Object.fromEntries(
        [
          'name',
          'message',
          'code',
          'cause',
          'errors',
          'status',
          'response',
          'headers',
          'stack',
          'constructor',
        ].map((key) => [key, { get: trap }]),
      ),
    ),
  'a cause that is hostile': () => new Error('outside', { cause: revoked({}) }),
  'errors that are hostile': () => new AggregateError([revoked({}), new Proxy({}, { get: trap })]),
  'headers that throw': () => Object.assign(new Error('busy'), { headers: { get: trap }, status: 503 }),
  'no prototype': () => Object.create(null),
  'an endless chain of causes': () => {
    const next = (): object => ({
      get cause() {
        return next();
      },
    });
    return next();
  },
};

const hostile = fc
  .constantFrom(...Object.keys(HOSTILE))
  .map((name) => ({ name, make: HOSTILE[name] ?? trap }));

const RULES: Readonly<Record<string, Matcher>> = {
  class: TypeError,
  name: { name: 'TypeError' },
  code: { code: ['ECONNRESET', '08*'] },
  status: { status: [418] },
  message: { message: /never said/ },
  cause: { cause: { name: 'TypeError', code: 'ECONNRESET' } },
};

const rule = fc.constantFrom(...Object.values(RULES));

let unhandled: unknown[];
const note = (error: unknown): void => void unhandled.push(error);

beforeEach(() => {
  unhandled = [];
  vi.stubGlobal('reportError', () => {});
  process.on('unhandledRejection', note);
});

afterEach(() => {
  process.off('unhandledRejection', note);
  vi.unstubAllGlobals();
});

type Way = (fn: () => Promise<never>, policy: object, options: RetryOptions) => Promise<unknown>;

/** Each resolves with the rejection of the call. */
const WAYS: Readonly<Record<string, Way>> = {
  withRetry: async (fn, policy, options) => caught(withRetry(fn, policy, options)()),
  retry: async (fn, policy, options) => caught(retry(fn, policy, options)),
  tryRetry: async (fn, policy, options) => {
    const result = await tryRetry(fn, policy, options);
    return [result.ok ? 'a value' : result.error];
  },
  retryIterable: async (fn, policy, options) =>
    caught(
      retryIterable(
        async function* () {
          yield await fn();
        },
        policy,
        options,
      ).next(),
    ),
  fetch: async (fn, policy, options) =>
    caught(createRetryFetch(policy, { ...options, fetch: fn })('http://example.com/')),
};

/** In a list, because a promise must not resolve with a hostile value. */
async function caught(call: Promise<unknown>): Promise<readonly unknown[]> {
  const [settled] = await Promise.allSettled([call]);
  return settled.status === 'rejected' ? [settled.reason] : ['a value'];
}

const way = fc.constantFrom(...Object.entries(WAYS));

describe('a hostile value', () => {
  it('that is thrown is retried by a policy that expects everything, and the call rejects with it by identity', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, way, fc.boolean(), async ({ make }, [name, call], isWatched) => {
        const error = make();
        const fn = vi.fn(() => Promise.reject(error));
        const [group, budget] = [createRetryGroup(), createRetryBudget({ type: 'token-bucket' })];
        const hooks = { onRetry: vi.fn(), onGiveUp: vi.fn(), beforeRetry: vi.fn() };
        const policy = { maxAttempts: 3, backoff: { type: 'none' } };

        const thrown = await call(fn, policy, { group, budget, ...(isWatched && hooks) });

        expect(Object.is((thrown as readonly unknown[])[0], error)).toBe(true);
        // httpPolicy names the errors that it expects.
        expect(fn.mock.calls.length).toBe(name === 'fetch' ? fn.mock.calls.length : 3);
        expect(group.active()).toBe(0);
        expect(retryInfo(error)?.reason ?? 'exhausted').toMatch(/exhausted|unexpected/);
      }),
    );
  });

  it('matches no rule: it is unexpected, and stopOn does not stop it', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, rule, async ({ make }, matcher) => {
        const [expected, stopped] = [
          vi.fn(() => Promise.reject(make())),
          vi.fn(() => Promise.reject(make())),
        ];
        const policy = { maxAttempts: 2, backoff: { type: 'none' } } as const;

        const one = await tryRetry(expected, { ...policy, retryOn: [matcher] });
        const other = await tryRetry(stopped, { ...policy, stopOn: [matcher] });

        expect([one.attempts, one.ok ? undefined : one.reason]).toEqual([1, 'unexpected']);
        expect([other.attempts, other.ok ? undefined : other.reason]).toEqual([2, 'exhausted']);
      }),
    );
  });

  it('may be thrown by a gate, predicate, strategy, hook or kindOf, or be an abort reason: the call still ends', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async ({ make }) => {
        const throwing = (): never => {
          throw make();
        };
        const group = createRetryGroup();
        const quiet = { reportError: () => {}, group };
        const policy = { maxAttempts: 2, backoff: { type: 'none' } } as const;
        const own = new Error('own');
        const fail = (): Promise<never> => Promise.reject(own);
        const budget = createRetryBudget({ type: 'ratio' }, { kindOf: throwing });
        const hooks = { onAttempt: throwing, onRetry: throwing, onGiveUp: throwing };

        const ends = [
          await caught(retry(fail, { ...policy, retryIf: throwing }, quiet)),
          await caught(retry(fail, { ...policy, retryOn: [throwing] }, quiet)),
          await caught(retry(fail, { ...policy, backoff: { type: 'custom', strategy: throwing } }, quiet)),
          await caught(retry(fail, policy, { ...quiet, beforeRetry: throwing })),
          await caught(retry(fail, policy, { ...quiet, budget })),
          await caught(retry(fail, policy, { ...quiet, ...hooks })),
        ];
        const result = await retry(() => 'done', policy, { ...quiet, retryIfResult: throwing });
        const reason = make();
        const aborted = await caught(retry(fail, policy, { ...quiet, signal: AbortSignal.abort(reason) }));

        expect(ends.map(([thrown]) => thrown === own)).toEqual(Array(6).fill(true));
        expect(result).toBe('done');
        expect(Object.is(aborted[0], reason)).toBe(true);
        expect(group.active()).toBe(0);
      }),
    );
  });

  it('may be an argument of ctx.stop and ctx.retryAfter', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async ({ make }) => {
        const error = make();
        const policy = { maxAttempts: 2, backoff: { type: 'none' } } as const;

        const stopped = await caught(retry(({ stop }: AttemptContext) => stop(error), policy));
        const asked = await caught(retry(({ retryAfter }: AttemptContext) => retryAfter(0, error), policy));

        expect([stopped, asked].map(([thrown]) => Object.is(thrown, error))).toEqual([true, true]);
      }),
    );
  });

  it('that is returned ends the call', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async ({ make }) => {
        const group = createRetryGroup();
        const policy = { maxAttempts: 2, backoff: { type: 'none' } } as const;

        const options = {
          group,
          retryIfResult: (result: unknown) => (result as { code?: unknown }).code === 1,
        };
        await caught(withRetry(async () => [make()], policy, options)());
        await caught(withRetry(() => make(), policy, options)());

        expect(group.active()).toBe(0);
      }),
    );
  });

  it('does not disturb the nesting guard and the diagnostics', async () => {
    const [endGuard, endPublishing] = [guardNestedRetries(), publishDiagnostics()];
    try {
      await fc.assert(
        fc.asyncProperty(hostile, async ({ make }) => {
          const error = make();
          const policy = { maxAttempts: 2, backoff: { type: 'none' } } as const;
          const inner = vi.fn(() => Promise.reject(error));

          const thrown = await caught(retry(() => retry(inner, policy), policy));

          expect(Object.is(thrown[0], error)).toBe(true);
          expect(inner).toHaveBeenCalledTimes(4);
        }),
      );
    } finally {
      endGuard();
      endPublishing();
    }
  });

  afterEach(async () => {
    await setImmediate();
    expect(unhandled).toHaveLength(0);
  });
});
