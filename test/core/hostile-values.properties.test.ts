import type { Matcher } from '@retry/core';
import {
  computeDelay,
  decide,
  definePolicy,
  explain,
  InvalidOptionsError,
  isNonRetryable,
  isRetryError,
  matchesError,
  parseServerDelay,
  readServerDelay,
} from '@retry/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const TRAPS = ['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'apply'] as const;

const KEYS = [
  ...[
    'name',
    'message',
    'code',
    'status',
    'statusCode',
    'cause',
    'errors',
    'headers',
    'response',
    'constructor',
  ],
  ...['responseHeaders', '$response', '$metadata', 'delayMs', 'then', 'toString', 'toJSON', 'get'],
];

function refuse(): never {
  throw new RangeError('do not look at me');
}

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** Creates values that throw when they are read; factories, because fast-check must not read the values. */
const leaves: fc.Arbitrary<() => unknown> = fc.oneof(
  fc.constantFrom<() => unknown>(
    () => revoked({}),
    () => revoked([]),
    () => revoked(() => 1),
    () => new Proxy(new Error('x'), { getPrototypeOf: () => new Proxy({}, { getPrototypeOf: refuse }) }),
    () => Object.setPrototypeOf({}, revoked({}) as object),
    () =>
      Object.create({
        get constructor() {
          return refuse();
        },
      }),
    () => Object.create({ constructor: Object.defineProperty(() => 1, 'name', { get: refuse }) }),
    () => {
      const endless: object = new Proxy({}, { getPrototypeOf: () => endless });
      return endless;
    },
    () => undefined,
    () => null,
    () => Symbol('x'),
    () => 'x'.repeat(10_000),
  ),
  fc.subarray([...TRAPS], { minLength: 1 }).map((traps) => () => {
    return new Proxy(new Error('x'), Object.fromEntries(traps.map((trap) => [trap, refuse])));
  }),
  fc.subarray(KEYS, { minLength: 1 }).map((keys) => () => {
    return Object.defineProperties(
      new Error('x'),
      Object.fromEntries(keys.map((key) => [key, { get: refuse }])),
    );
  }),
);

/** The same where errors keep others, and in lists. */
const hostile: fc.Arbitrary<() => unknown> = fc.letrec<{ value: () => unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaves,
    fc.tuple(fc.constantFrom(...KEYS), tie('value')).map(
      ([key, make]) =>
        () =>
          Object.defineProperty(new Error('x'), key, { value: make() }),
    ),
    fc
      .array(tie('value'), { maxLength: 3 })
      .map((makes) => () => new AggregateError(makes.map((make) => make()))),
  ),
})).value;

const matchers: fc.Arbitrary<Matcher> = fc.constantFrom<Matcher>(
  Error,
  TypeError,
  Object.defineProperty(class Refusing extends Error {}, Symbol.hasInstance, { value: refuse }),
  { name: 'HttpError' },
  { code: '08*' },
  { status: 503 },
  { message: /boom/ },
  { message: 'boom' },
  { retryAfter: true },
  { cause: { name: 'HttpError' } },
  { cause: Error },
);

const context = { now: 0, random: () => 0.5 };

describe('a thrown value that throws when it is read', () => {
  it('breaks no matcher', () => {
    fc.assert(
      fc.property(hostile, matchers, (make, matcher) => {
        expect([true, false]).toContain(matchesError(matcher, make()));
      }),
    );
  });

  it('breaks neither isRetryError nor readServerDelay', () => {
    fc.assert(
      fc.property(hostile, (make) => {
        expect([true, false]).toContain(isRetryError(make()));
        expect([true, false]).toContain(isRetryError(make(), 'ATTEMPT_TIMEOUT'));
        expect([true, false]).toContain(isNonRetryable(make()));
        expect(['absent', 'malformed', 'delay', 'refused']).toContain(readServerDelay(make(), 0).type);
        const headers = make();
        if (typeof headers !== 'object' || headers === null) return;
        expect(['absent', 'malformed', 'delay', 'refused']).toContain(
          parseServerDelay(headers as never, 0, 429).type,
        );
      }),
    );
  });

  it('is decided by the rules, without an error in thrown', () => {
    fc.assert(
      fc.property(
        hostile,
        fc.array(matchers, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        (make, retryOn, isStop) => {
          const policy = definePolicy({ [isStop ? 'stopOn' : 'retryOn']: retryOn });

          const decision = decide(policy, { failures: 1 }, { error: make() }, context);

          expect(decision).not.toHaveProperty('thrown');
        },
      ),
    );
  });

  it('is explained', () => {
    fc.assert(
      fc.property(hostile, matchers, (make, matcher) => {
        expect(explain(definePolicy({ retryOn: [matcher] }), make()).rule).not.toBe('thrown');
      }),
    );
  });

  it('is passed to a strategy, and printed in a problem', () => {
    const policy = definePolicy({ backoff: { type: 'custom', strategy: () => 5 }, jitter: 'none' });
    fc.assert(
      fc.property(hostile, (make) => {
        expect(computeDelay(policy, 1, { ...context, error: make() })).toBe(5);
        const problem = { path: 'x', value: make(), message: 'is wrong', cure: 'Use 1.' };
        expect(new InvalidOptionsError([problem]).message).toContain('x is wrong, got ');
      }),
    );
  });

  it('is explained when a rule throws it', () => {
    fc.assert(
      fc.property(hostile, (make) => {
        const throws = (): never => {
          throw make();
        };

        expect(explain(definePolicy({ retryIf: throws }), new Error('x'))).toMatchObject({ rule: 'thrown' });
        expect(
          decide(definePolicy({ retryIf: throws }), { failures: 1 }, { error: 1 }, context),
        ).toMatchObject({
          reason: 'stopped',
        });
      }),
    );
  });

  it('does not count as true from a gate', () => {
    fc.assert(
      fc.property(hostile, (make) => {
        const gate = (): never => make() as never;

        expect(['retry', 'fail']).toContain(
          decide(definePolicy({ retryIf: gate }), { failures: 1 }, { error: 1 }, context).type,
        );
      }),
    );
  });
});
