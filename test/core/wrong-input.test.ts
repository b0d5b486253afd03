import {
  computeDelay,
  decide,
  definePolicy,
  delayBounds,
  explain,
  extendPolicy,
  isSerializable,
  lintPolicy,
  type PolicyInput,
  type PreviewOptions,
  parsePolicy,
  policyToJSON,
  preview,
  RetryAfterError,
} from '@retry/core';
import { type BudgetInput, defineBudget } from '@retry/core/budget';
import { type CircuitBreakerInput, defineCircuitBreaker } from '@retry/core/circuit-breaker';
import { fromCelery, fromCmdx, fromFluid, fromJobbers, fromTasker } from '@retry/core/dialects';
import type { PolicyKey } from '@retry/core/fields';
import { createVirtualClock, type VirtualClockOptions } from '@retry/core/testing';
import { describe, expect, it } from 'vitest';
import { eachWrongOption, NO_OPTIONS, refusalOf, refusedPaths } from '../support/wrong-input.ts';

const POLICY = definePolicy();
const context = { random: () => 0.5 };

const TAKE_OPTIONS: Readonly<Record<string, (given: never) => unknown>> = {
  definePolicy,
  'definePolicy with a registry': (given) => definePolicy({}, given),
  parsePolicy,
  'extendPolicy from a base': (given) => extendPolicy(given, {}),
  'extendPolicy by a patch': (given) => extendPolicy(POLICY, given),
  'preview with options': (given) => preview(POLICY, given),
  defineBudget,
  defineCircuitBreaker,
  createVirtualClock,
  fromCelery,
  fromCmdx,
  fromFluid,
  fromJobbers,
  fromTasker,
};

describe.each(Object.entries(TAKE_OPTIONS))('%s', (_name, call) => {
  it.each(NO_OPTIONS)('refuses %s as its options', async (_kind, given) => {
    expect(await refusalOf(() => call(given as never))).toMatchObject({ code: 'INVALID_OPTIONS' });
  });
});

const TAKE_POLICIES: Readonly<Record<string, (given: never) => unknown>> = {
  preview,
  lintPolicy,
  explain: (given) => explain(given, new Error('failed')),
  decide: (given) => decide(given, { failures: 1 }, { error: 'failed' }, { now: 0, ...context }),
  computeDelay: (given) => computeDelay(given, 1, context),
  delayBounds: (given) => delayBounds(given, 1),
  policyToJSON,
  isSerializable,
};

describe.each(Object.entries(TAKE_POLICIES))('%s', (_name, call) => {
  it.each([
    ...NO_OPTIONS,
    ['undefined', undefined] as const,
    ['what was written for a policy', { maxAttempts: 3, backoff: { type: 'constant', base: '1s' } }] as const,
  ])('refuses %s, which is not a defined policy', async (_kind, given) => {
    const { problems } = await refusalOf(() => call(given as never));

    expect(problems).toMatchObject([{ path: 'policy', cure: 'Use definePolicy({ … }).' }]);
  });
});

describe('every option', () => {
  // A key that is missing here does not compile, and one that is not checked fails.
  const policy: Required<Pick<PolicyInput, PolicyKey>> = {
    maxAttempts: 5,
    initialDelay: 0,
    backoff: { type: 'constant', base: 5 },
    delays: [{ on: [{ status: 429 }], backoff: { type: 'constant', base: 5 } }],
    immediateFirst: true,
    jitter: 'none',
    minDelay: 0,
    maxDelay: 5,
    capAt: 'after-jitter',
    granularity: 0,
    retryOn: 'everything',
    stopOn: [],
    idempotent: true,
    retryIf: () => true,
    attemptTimeout: 5,
    totalTimeout: 5,
    retryTimeouts: true,
    retryAfter: { max: 5, mode: 'floor', beyondMax: 'clamp', jitter: { up: 0.1 } },
    retryable: true,
  };
  const budgets: { readonly [Type in BudgetInput['type']]: Required<Extract<BudgetInput, { type: Type }>> } =
    {
      'token-bucket': {
        type: 'token-bucket',
        capacity: 5,
        costs: { default: 1 },
        refund: 1,
        refillPerSecond: 1,
      },
      ratio: { type: 'ratio', ratio: 0.1, minPerSecond: 1, window: '1s' },
      throttle: { type: 'throttle', maxTokens: 5, tokenRatio: 0.1 },
    };
  // Any error is right.
  const ofPreview: Required<Omit<PreviewOptions, 'error'>> = { attemptMs: 1, limit: 1 };
  const ofClock: Required<VirtualClockOptions> = { settle: async () => {}, startAt: 0 };

  const breaker: Required<CircuitBreakerInput> = {
    failureRatio: 0.5,
    minimumThroughput: 5,
    samplingDuration: '1m',
    breakDuration: '1s',
  };

  it.each([
    ['a policy', definePolicy, policy],
    ['a patch', (given: object) => extendPolicy(POLICY, given), policy],
    ['a token bucket', defineBudget, budgets['token-bucket']],
    ['a ratio', defineBudget, budgets.ratio],
    ['a throttle', defineBudget, budgets.throttle],
    ['a circuit breaker', defineCircuitBreaker, breaker],
    ['preview', (given: object) => preview(POLICY, given), ofPreview],
    ['a virtual clock', createVirtualClock, ofClock],
  ] as const)('of %s is checked', async (_name, define, valid) => {
    expect(() => define(valid as never)).not.toThrow();
    for (const [key, name, options] of eachWrongOption(valid)) {
      const [path = ''] = await refusedPaths(() => define(options as never));
      expect([name, path.split(/[.[]/)[0]]).toEqual([name, key]);
    }
  });
});

describe('a message', () => {
  it('has the path of a getter that threw', async () => {
    const given = {
      get maxAttempts(): number {
        throw new RangeError('not yet');
      },
    };

    expect((await refusalOf(() => definePolicy(given))).message).toBe(
      'invalid policy\n- maxAttempts cannot be read, got undefined. Reading it threw RangeError: not yet: use plain values.',
    );
  });

  it('has a cure for a promise', async () => {
    expect((await refusalOf(() => definePolicy(Promise.resolve({}) as never))).message).toMatch(
      /^invalid policy\n- the policy must be an object, got Promise {}\. Await it first\. Its keys are maxAttempts,/,
    );
  });

  it('does not name a policy if none is wrong', async () => {
    expect((await refusalOf(() => new RetryAfterError('soon' as never))).message).toBe(
      `invalid RetryAfterError\n- delay must be a duration ≥ 0, got "soon". Use milliseconds or text like '500ms', '2s', '5m'.`,
    );
  });

  it('has no password of a URL that was given in the wrong place', async () => {
    const error = await refusalOf(() => preview('redis://user:geheim@host' as never));

    expect(error.message).toContain('"redis://***@host"');
    expect(JSON.stringify(error.problems)).not.toContain('geheim');
  });
});

describe('computeDelay and delayBounds', () => {
  it.each(['1', null, undefined, 1n, Symbol('retry')])('refuse the retry %o', async (retry) => {
    expect(await refusedPaths(() => computeDelay(POLICY, retry as never, context))).toEqual(['retry']);
    expect(await refusedPaths(() => delayBounds(POLICY, retry as never))).toEqual(['retry']);
  });

  it.each([undefined, null, {}, { random: 0.5 }, Math.random])('refuse the context %o', async (given) => {
    expect(await refusedPaths(() => computeDelay(POLICY, 1, given as never))).toEqual(['context']);
  });

  it.each(['100', null, {}, 1n])('refuse the previous delay %o', async (previousDelayMs) => {
    const given = { ...context, previousDelayMs: previousDelayMs as never };

    expect(await refusedPaths(() => computeDelay(POLICY, 1, given))).toEqual(['context.previousDelayMs']);
  });
});
