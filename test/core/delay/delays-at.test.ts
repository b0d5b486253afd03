import {
  computeDelay,
  definePolicy,
  delayBounds,
  type PolicyInput,
  parsePolicy,
  policyToJSON,
  preview,
} from '@retry/core';
import { describe, expect, it } from 'vitest';

const NO_LIMIT = { maxDelay: 'Infinity', maxAttempts: 6 } as const;

function boundsOf(input: PolicyInput, error?: unknown): readonly (readonly [number, number])[] {
  const policy = definePolicy({ ...NO_LIMIT, ...input });
  return [1, 2, 3, 4].map((retry) => delayBounds(policy, retry, error));
}

function delaysOf(input: PolicyInput, error?: unknown): readonly number[] {
  return boundsOf({ jitter: 'none', ...input }, error).map(([minMs]) => minMs);
}

describe('a polynomial backoff', () => {
  it('raises the number of the retry', () => {
    expect(delaysOf({ backoff: { type: 'polynomial', base: '1s', exponent: 2 } })).toEqual([
      1_000, 4_000, 9_000, 16_000,
    ]);
  });

  it('adds its offset, and counts from another number', () => {
    const sidekiq = { type: 'polynomial', base: '1s', exponent: 4, offset: '15s', from: 0 } as const;

    expect(delaysOf({ backoff: sidekiq })).toEqual([15_000, 16_000, 31_000, 96_000]);
  });

  it('does not wait while the number is below 1, counted from a negative one', () => {
    expect(delaysOf({ backoff: { type: 'polynomial', base: '1s', exponent: 1, from: -1 } })).toEqual([
      0, 0, 1_000, 2_000,
    ]);
  });
});

describe('the offset of an exponential backoff', () => {
  it('is added to each delay, and not multiplied', () => {
    expect(delaysOf({ backoff: { type: 'exponential', base: '2s', offset: '15s' } })).toEqual([
      17_000, 19_000, 23_000, 31_000,
    ]);
  });
});

describe('a jitter upward', () => {
  const backoff = { type: 'constant', base: '10s' } as const;

  it.each<[PolicyInput['jitter'], number, number]>([
    [{ up: 0.2 }, 10_000, 12_000],
    [{ down: 0.45, up: 0.5 }, 5_500, 15_000],
    [{ plus: '200ms' }, 10_000, 10_200],
    [{ minus: '1s' }, 9_000, 10_000],
    [{ plus: '1s', minus: '2s' }, 8_000, 11_000],
  ])('%o spreads 10 s from %d to %d ms', (jitter, minMs, maxMs) => {
    expect(boundsOf({ backoff, jitter })[0]).toEqual([minMs, maxMs]);
  });

  it('grows with the retry by its increment', () => {
    expect(boundsOf({ backoff, jitter: { plus: '9s', increment: '10s' } })).toEqual([
      [10_000, 19_000],
      [10_000, 29_000],
      [10_000, 39_000],
      [10_000, 49_000],
    ]);
  });

  it('stays below the cap, above it, or is cut at it, by capAt', () => {
    const at = (capAt: PolicyInput['capAt']) =>
      boundsOf({ backoff, jitter: { plus: '4s' }, maxDelay: '12s', capAt })[0];

    expect(at('before-jitter')).toEqual([8_000, 12_000]);
    expect(at('after-jitter')).toEqual([10_000, 12_000]);
    expect(at('ignores-jitter')).toEqual([10_000, 14_000]);
  });

  it('is refused where it grows beside a decorrelated backoff, which grows by itself', () => {
    const jitter = { plus: '1s', increment: '1s' } as const;

    expect(() => definePolicy({ backoff: { type: 'decorrelated', base: '1s' }, jitter })).toThrow(
      'must not grow',
    );
  });
});

describe('immediateFirst', () => {
  it('does not wait before the first retry, and begins its backoff with the second', () => {
    expect(delaysOf({ immediateFirst: true, backoff: { type: 'exponential', base: '1s' } })).toEqual([
      0, 1_000, 2_000, 4_000,
    ]);
  });

  it('has no jitter on the first, whatever the draw', () => {
    const policy = definePolicy({ immediateFirst: true, jitter: { plus: '1s' } });

    expect(computeDelay(policy, 1, { random: () => 0.9 })).toBe(0);
  });

  it('grows a decorrelated backoff from its base at the second retry', () => {
    const policy = definePolicy({ immediateFirst: true, backoff: { type: 'decorrelated', base: '1s' } });

    expect(computeDelay(policy, 2, { random: () => 0.5, previousDelayMs: 0 })).toBe(2_000);
    expect(delayBounds(policy, 2)).toEqual([1_000, 3_000]);
  });
});

describe('delays', () => {
  const input: PolicyInput = {
    backoff: { type: 'exponential', base: '50ms' },
    delays: [
      { on: [{ status: 429 }], backoff: { type: 'exponential', base: '1s' } },
      { on: [{ code: 'SLOW' }], backoff: { type: 'constant', base: '5s' }, jitter: { up: 0.2 } },
    ],
  };
  const limited = Object.assign(new Error(), { status: 429 });
  const slow = Object.assign(new Error(), { code: 'SLOW' });

  it('replace the backoff after an error that the first entry matches', () => {
    expect(delaysOf(input)).toEqual([50, 100, 200, 400]);
    expect(delaysOf(input, new Error())).toEqual([50, 100, 200, 400]);
    expect(delaysOf(input, limited)).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  it('have a jitter of their own, else that of the policy', () => {
    expect(boundsOf({ ...input, jitter: 'full' }, slow)[0]).toEqual([5_000, 6_000]);
    expect(boundsOf({ ...input, jitter: 'full' }, limited)[0]).toEqual([0, 1_000]);
  });

  it('are previewed for an error', () => {
    const { retries } = preview(definePolicy({ ...input, jitter: 'none' }), { error: limited, attemptMs: 0 });

    expect(retries.map(({ delay }) => delay.meanMs)).toEqual([1_000, 2_000]);
  });

  it('survive JSON', () => {
    const policy = definePolicy(input);

    expect(parsePolicy(JSON.stringify(policyToJSON(policy)))).toEqual(policy);
  });
});
