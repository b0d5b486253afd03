import {
  type CircuitBreakerOptions,
  createCircuitBreaker,
  createRetryBudget,
  createRetryGroup,
  type RetryBudgetOptions,
  type RetryGroupOptions,
  type RetryOptions,
  retry,
  retryIterable,
  tryRetry,
  withRetry,
} from '@retry/inprocess';
import { createMemoryBroker, type MemoryBrokerOptions } from '@retry/inprocess/broker';
import { createRetryFetch, type RetryFetchOptions } from '@retry/inprocess/fetch';
import { createTestClock, instantRetries } from '@retry/inprocess/testing';
import { describe, expect, it } from 'vitest';
import { eachWrongOption, NO_OPTIONS, refusalOf, refusedPaths } from '../support/wrong-input.ts';

const FN = async (): Promise<string> => 'done';
const RATIO = { type: 'ratio' } as const;

const TAKE_OPTIONS: Readonly<Record<string, (given: never) => unknown>> = {
  'withRetry with a policy': (given) => withRetry(FN, given),
  'withRetry with options': (given) => withRetry(FN, {}, given),
  'retry with a policy': (given) => retry(FN, given),
  'retry with options': (given) => retry(FN, {}, given),
  'tryRetry with options': (given) => tryRetry(FN, {}, given),
  'retryIterable with options': (given) => retryIterable(async function* () {}, {}, given),
  'createRetryFetch with a policy': (given) => createRetryFetch(given),
  'createRetryFetch with options': (given) => createRetryFetch({}, given),
  createCircuitBreaker,
  createRetryGroup,
  'createRetryBudget with a budget': (given) => createRetryBudget(given),
  'createRetryBudget with options': (given) => createRetryBudget(RATIO, given),
  createMemoryBroker,
  instantRetries,
};

describe.each(Object.entries(TAKE_OPTIONS))('%s', (_name, call) => {
  it.each(NO_OPTIONS)('refuses %s', async (_kind, given) => {
    expect(await refusalOf(() => call(given as never))).toMatchObject({ code: 'INVALID_OPTIONS' });
  });
});

describe('every option', () => {
  // A key that is missing here does not compile, and one that is not checked fails the test.
  const clock = createTestClock();
  const call: Required<RetryOptions> = {
    name: 'load',
    signal: new AbortController().signal,
    retryIfResult: () => false,
    beforeRetry: () => {},
    onAttempt: () => {},
    onRetry: () => {},
    onGiveUp: () => {},
    onNested: () => {},
    budget: createRetryBudget(RATIO),
    circuitBreaker: createCircuitBreaker(),
    group: createRetryGroup(),
    parent: { maxAttempts: 1, remainingMs: 5, signal: new AbortController().signal },
    nested: 'once',
    random: () => 0.5,
    clock,
    unref: true,
    reportError: () => {},
  };
  const { signal: _signal, retryIfResult: _result, parent: _parent, ...shared } = call;
  const fetch: Required<RetryFetchOptions> = {
    ...shared,
    fetch: globalThis.fetch,
    methods: ['POST'],
    isRepeatable: () => true,
    replace: true,
    until: 'headers',
  };
  const memory: Required<MemoryBrokerOptions> = {
    clock,
    keepCompleted: { count: 5 },
    keepDead: { for: '1d' },
    keepKeys: '1h',
  };
  const group: Required<RetryGroupOptions> = { maxWaiting: 5 };
  const breaker: Required<CircuitBreakerOptions> = {
    failureRatio: 0.5,
    minimumThroughput: 5,
    samplingDuration: '1m',
    breakDuration: '1s',
    onStateChange: () => {},
    clock,
    reportError: () => {},
  };
  const budget: Required<RetryBudgetOptions> = { clock, kindOf: () => 'default' };

  it.each([
    ['withRetry', (given: object) => withRetry(FN, {}, given), call],
    ['createRetryFetch', (given: object) => createRetryFetch({}, given), fetch],
    ['createMemoryBroker', createMemoryBroker, memory],
    ['createRetryGroup', createRetryGroup, group],
    ['createRetryBudget', (given: object) => createRetryBudget(RATIO, given), budget],
    ['createCircuitBreaker', createCircuitBreaker, breaker],
  ] as const)('of %s is checked', async (_name, make, valid) => {
    expect(() => make(valid as never)).not.toThrow();
    for (const [key, name, options] of eachWrongOption(valid)) {
      expect([name, ...(await refusedPaths(() => make(options as never)))]).toEqual([name, key]);
    }
  });
});

describe('a timer of a test clock', () => {
  it('needs a function and a number of milliseconds', async () => {
    const clock = createTestClock();

    expect(await refusedPaths(() => clock.setTimer('later' as never, 5))).toEqual(['callback']);
    expect(await refusedPaths(() => clock.setTimer(() => {}, Number.NaN))).toEqual(['delayMs']);
    expect(await refusedPaths(() => clock.setTimer(() => {}, '2s' as never))).toEqual(['delayMs']);
    expect(clock.pendingTimers()).toBe(0);
  });
});
