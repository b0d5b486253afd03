import type { Counters, DecisionContext, DelayStrategy, Failure, PolicyInput, RunFacts } from '@retry/core';
import {
  computeDelay,
  decide,
  definePolicy,
  delayBounds,
  explain,
  isRetryError,
  lintPolicy,
  preview,
} from '@retry/core';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';

const random = (): number => 0.5;
const boom = new TypeError('boom');

const custom = (strategy: DelayStrategy, more: PolicyInput = {}) =>
  definePolicy({ maxAttempts: 10, jitter: 'none', ...more, backoff: { type: 'custom', strategy, base: 7 } });

const decisionOf = (strategy: DelayStrategy, more: PolicyInput = {}, failure: Failure = { error: boom }) =>
  decide(custom(strategy, more), { failures: 1 }, failure, { now: 1_000, random });

/** A run in a worker: its third attempt, of which one stalled, has failed. */
const COUNTERS: Counters = { failures: 2, stalls: 1, previousDelayMs: 40 };
const CONTEXT: DecisionContext = {
  now: 5_000,
  startedAt: 1_000,
  attemptMs: 30,
  id: 'run-1',
  lane: 'mail@1',
  random,
};
const FACTS: RunFacts = {
  id: 'run-1',
  lane: 'mail@1',
  failures: 2,
  stalls: 1,
  now: 5_000,
  elapsedMs: 4_000,
  attemptMs: 30,
};

describe('a custom strategy', () => {
  it('receives what is known about its run', () => {
    const strategy = vi.fn(() => 5);

    decide(custom(strategy), COUNTERS, { error: boom }, CONTEXT);

    expect(strategy.mock.calls).toEqual([
      [3, { ...FACTS, error: boom, previousDelayMs: 40, baseMs: 7, random }],
    ]);
  });

  it('receives no id and no lane where there is no run', () => {
    const strategy = vi.fn<DelayStrategy>(() => 5);

    decide(custom(strategy), { failures: 1 }, { error: boom }, { now: 9, random });

    expect(strategy.mock.calls[0]?.[1]).toMatchObject({ failures: 1, now: 9, elapsedMs: 0 });
    expect(strategy.mock.calls[0]?.[1]?.id).toBeUndefined();
    expect(strategy.mock.calls[0]?.[1]?.lane).toBeUndefined();
  });

  it('ends the retrying by stop', () => {
    expect(decisionOf(() => 'stop')).toEqual({ type: 'fail', reason: 'stopped' });
  });

  it("stops before the server's delay, the total timeout and the budget are looked at", () => {
    const refused: Failure = { error: boom, serverDelay: { type: 'refused' } };

    expect(decisionOf(() => 'stop', { retryAfter: { mode: 'replace' } }, refused)).toMatchObject({
      reason: 'stopped',
    });
    expect(
      decide(
        custom(() => 'stop'),
        { failures: 1 },
        { error: boom },
        { ...CONTEXT, budget: { allowsRetry: false } },
      ),
    ).toMatchObject({ reason: 'stopped' });
  });

  it('is not asked about a failure that is not retried', () => {
    const strategy = vi.fn<DelayStrategy>(() => 'stop');

    expect(decisionOf(strategy, { maxAttempts: 1 })).toMatchObject({ reason: 'exhausted' });
    expect(decisionOf(strategy, { retryIf: () => false })).toMatchObject({ reason: 'stopped' });
    expect(strategy).not.toHaveBeenCalled();
  });

  it.each(['STOP', ' stop', 'halt'])('has its base as the delay if it answers %o', (answer) => {
    expect(decisionOf(() => answer as 'stop')).toMatchObject({ type: 'retry', delayMs: 7 });
  });

  it('may answer nothing but a number or stop', () => {
    expectTypeOf<ReturnType<DelayStrategy>>().toEqualTypeOf<number | 'stop'>();
  });
});

describe('a gate', () => {
  it('receives what is known about its run', () => {
    const retryIf = vi.fn(() => true);

    decide(definePolicy({ maxAttempts: 9, retryIf }), COUNTERS, { error: boom }, CONTEXT);

    expect(retryIf.mock.calls).toEqual([[boom, { ...FACTS, attempt: 3 }]]);
  });

  it('knows only the counters in explain', () => {
    const retryIf = vi.fn(() => true);

    explain(definePolicy({ maxAttempts: 9, retryIf }), boom, COUNTERS);

    expect(retryIf.mock.calls).toEqual([[boom, { attempt: 3, failures: 2, stalls: 1 }]]);
  });
});

describe('a strategy that stops the retrying', () => {
  const twice = custom((retry) => (retry > 2 ? 'stop' : 100), { maxAttempts: Infinity });

  it('makes computeDelay throw, because there is no delay', () => {
    expect(computeDelay(twice, 2, { random })).toBe(100);
    expect(() => computeDelay(twice, 3, { random })).toThrow(
      expect.toSatisfy((error: unknown) => isRetryError(error, 'STRATEGY_STOPPED')),
    );
  });

  it('ends a preview, which is bounded by it', () => {
    expect(preview(twice, { attemptMs: 10 })).toMatchObject({
      retries: [{ retry: 1 }, { retry: 2 }],
      maxRetries: 2,
      isBounded: true,
      isStopped: true,
      // Three attempts of 10 ms, and two delays. The strategy may answer any delay up to maxDelay.
      total: { minMs: 30, meanMs: 230, maxMs: 40_030 },
    });
  });

  it('is asked in a preview as if attempts and delays took their mean time', () => {
    const strategy = vi.fn<DelayStrategy>((_, { elapsedMs = 0 }) => (elapsedMs >= 220 ? 'stop' : 100));

    const { maxRetries } = preview(custom(strategy, { initialDelay: 5 }), { attemptMs: 10 });

    expect(maxRetries).toBe(2);
    expect(
      strategy.mock.calls.map(([, { elapsedMs, attemptMs, failures }]) => [elapsedMs, attemptMs, failures]),
    ).toEqual([
      [15, 10, 1],
      [125, 10, 2],
      [235, 10, 3],
    ]);
  });

  it('makes no delay where it stops at once', () => {
    expect(
      preview(
        custom(() => 'stop'),
        { attemptMs: 10 },
      ),
    ).toMatchObject({
      retries: [],
      maxRetries: 0,
      isStopped: true,
      total: { minMs: 10, meanMs: 10, maxMs: 10 },
    });
  });

  it('is no reason for a warning that attempts cannot be reached, or never end', () => {
    const codes = (maxAttempts: number) =>
      lintPolicy(custom((retry) => (retry > 2 ? 'stop' : 100), { maxAttempts, retryOn: [TypeError] })).map(
        ({ code }) => code,
      );

    expect(codes(Infinity)).toEqual([]);
    expect(codes(10)).toEqual([]);
  });

  it('is not asked by delayBounds and explain', () => {
    const strategy = vi.fn<DelayStrategy>(() => 'stop');
    const policy = custom(strategy, { maxDelay: 500 });

    expect(delayBounds(policy, 1)).toEqual([0, 500]);
    expect(explain(policy, boom)).toMatchObject({ retries: true });
    expect(strategy).not.toHaveBeenCalled();
  });
});
