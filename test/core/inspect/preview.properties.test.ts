import type { DurationRange, Policy, PolicyInput } from '@retry/core';
import { decide, definePolicy, MAX_INSTANT_AT, preview } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffs, draws, policyInputsWith, steadyBackoffs } from '../../support/arbitraries.ts';

const limits = fc.record({
  maxAttempts: fc.integer({ min: 1, max: 30 }),
  totalTimeout: fc.constantFrom(1, 1_000, 120_000, 3_600_000, 'Infinity' as const),
});

/** Policies that retry every error until an attempt or the deadline is the last. */
function plans(input: fc.Arbitrary<PolicyInput>): fc.Arbitrary<Policy> {
  return fc
    .tuple(input, limits)
    .map(([{ retryIf: _, ...delays }, rules]) =>
      definePolicy({ ...delays, ...rules, retryOn: 'everything', stopOn: [], retryable: true }),
    );
}

const anyPlan = plans(policyInputsWith(backoffs));
const sure = plans(policyInputsWith(steadyBackoffs).map((input) => ({ ...input, jitter: 'none' })));
const attempts = fc.constantFrom(0, 1, 0.1, 900, 60_000);

interface Run {
  readonly delays: readonly number[];
  readonly starts: readonly number[];
  readonly endedAt: number;
}

/** The decisions of `decide` if each attempt fails, step by step. */
function runThrough(policy: Policy, attemptMs: number, random: () => number): Run {
  const delays: number[] = [];
  const starts: number[] = [];
  let now = settingsOf(policy).initialDelayMs + attemptMs;
  for (;;) {
    const counters = { failures: delays.length + 1, previousDelayMs: delays.at(-1) };
    const decision = decide(policy, counters, { error: new Error('x') }, { now, random, startedAt: 0 });
    if (decision.type === 'fail') return { delays, starts, endedAt: now };
    // A decision is limited to valid instants; a preview has no start instant.
    fc.pre(decision.runAt < MAX_INSTANT_AT);
    delays.push(decision.delayMs);
    starts.push(decision.runAt);
    now = decision.runAt + attemptMs;
  }
}

function holds({ minMs, maxMs }: DurationRange, ms: number): boolean {
  return minMs <= ms && ms <= maxMs;
}

describe('preview', () => {
  it('agrees with decide step by step if nothing is random', () => {
    fc.assert(
      fc.property(sure, attempts, (policy, attemptMs) => {
        const { retries, maxRetries, total } = preview(policy, { attemptMs });
        const run = runThrough(policy, attemptMs, () => 0);

        expect(retries.map(({ delay }) => delay.minMs)).toEqual(run.delays);
        expect(retries.map(({ delay }) => delay.maxMs)).toEqual(run.delays);
        expect(retries.map(({ startsAfter }) => startsAfter.maxMs)).toEqual(run.starts);
        expect(maxRetries).toBe(run.delays.length);
        expect(total.maxMs).toBe(Math.min(run.endedAt, settingsOf(policy).totalTimeoutMs));
      }),
    );
  });

  it('includes every run of decide, whatever it draws', () => {
    fc.assert(
      fc.property(anyPlan, attempts, draws, (policy, attemptMs, draw) => {
        const { retries } = preview(policy, { attemptMs });
        const { delays, starts } = runThrough(policy, attemptMs, () => draw);

        const outside = delays.filter((delayMs, index) => {
          const startedAt = starts[index] ?? Number.NaN;
          const listed = retries[index];
          return !listed || !holds(listed.delay, delayMs) || !holds(listed.startsAfter, startedAt);
        });

        expect(outside).toEqual([]);
      }),
    );
  });

  it('counts at least as many retries as any run of decide is granted', () => {
    fc.assert(
      fc.property(anyPlan, attempts, draws, (policy, attemptMs, draw) => {
        const { maxRetries } = preview(policy, { attemptMs });

        expect(runThrough(policy, attemptMs, () => draw).delays.length).toBeLessThanOrEqual(maxRetries);
      }),
    );
  });

  it('includes the end of every run of decide in its total', () => {
    fc.assert(
      fc.property(anyPlan, attempts, draws, (policy, attemptMs, draw) => {
        const { total } = preview(policy, { attemptMs });
        const endedAt = Math.min(
          runThrough(policy, attemptMs, () => draw).endedAt,
          settingsOf(policy).totalTimeoutMs,
        );

        expect(endedAt).toBeGreaterThanOrEqual(total.minMs);
        expect(endedAt).toBeLessThanOrEqual(total.maxMs);
      }),
    );
  });

  it('has a finite total if the attempts are limited, however long each delay', () => {
    fc.assert(
      fc.property(policyInputsWith(backoffs), fc.integer({ min: 1, max: 50 }), (input, maxAttempts) => {
        const { retries, total } = preview(definePolicy({ ...input, maxAttempts }));

        const spans = [total, ...retries.flatMap(({ delay, startsAfter }) => [delay, startsAfter])];

        expect(
          spans.flatMap(({ minMs, meanMs, maxMs }) => [minMs, meanMs, maxMs]).every(Number.isFinite),
        ).toBe(true);
      }),
    );
  });

  it('has ordered ranges without NaN, also without a last attempt', () => {
    const policies = fc.tuple(policyInputsWith(backoffs), fc.constantFrom(1, 3, 400, Infinity));
    fc.assert(
      fc.property(policies, fc.option(attempts, { nil: undefined }), ([input, maxAttempts], attemptMs) => {
        const policy = definePolicy({ ...input, maxAttempts });
        const { retries, maxRetries, total } = preview(policy, {
          limit: 20,
          ...(attemptMs !== undefined && { attemptMs }),
        });

        expect(maxRetries).toBeGreaterThanOrEqual(retries.length);
        for (const { minMs, meanMs, maxMs } of [
          total,
          ...retries.flatMap(({ delay, startsAfter }) => [delay, startsAfter]),
        ]) {
          expect(minMs).toBeGreaterThanOrEqual(0);
          // The mean is a sum of its own: it may round apart from an end that it meets.
          expect(meanMs).toBeGreaterThanOrEqual(minMs * (1 - 1e-9));
          expect(meanMs).toBeLessThanOrEqual(maxMs * (1 + 1e-9));
        }
      }),
    );
  });
});
