import { type BackoffInput, definePolicy, delayBounds, type PolicyInput } from '@retry/core';
import { describe, expect, it, vi } from 'vitest';

const boundsOf = (input: PolicyInput, retry = 1) => delayBounds(definePolicy(input), retry);
const SECOND: BackoffInput = { type: 'constant', base: '1s' };

describe('delayBounds', () => {
  it('are, for the default policy, from 0 to the backoff or the cap', () => {
    expect([1, 2, 3, 9, Number.MAX_SAFE_INTEGER].map((retry) => boundsOf({}, retry))).toEqual([
      [0, 100],
      [0, 200],
      [0, 400],
      [0, 20_000],
      [0, 20_000],
    ]);
  });

  it.each<[PolicyInput, readonly [number, number]]>([
    [{ jitter: 'none' }, [1_000, 1_000]],
    [{ jitter: 'full' }, [0, 1_000]],
    [{ jitter: 'equal' }, [500, 1_000]],
    [{ jitter: 'bounded' }, [1_000, 2_000]],
    [{ jitter: { proportional: 0.25 } }, [750, 1_250]],
    [{ jitter: 'full', minDelay: 250 }, [250, 1_000]],
    [{ jitter: 'full', maxDelay: 600 }, [0, 600]],
    [{ jitter: 'full', minDelay: 700, maxDelay: 700 }, [700, 700]],
    [{ jitter: 'bounded', maxDelay: 600 }, [300, 600]],
    [{ jitter: 'bounded', maxDelay: 600, capAt: 'after-jitter' }, [600, 600]],
    [{ jitter: 'bounded', maxDelay: 600, capAt: 'ignores-jitter' }, [600, 1_200]],
    [{ jitter: { proportional: 0.5 }, maxDelay: 600 }, [200, 600]],
    [{ jitter: 'equal', granularity: 300 }, [600, 900]],
    [{ jitter: 'full', granularity: 300, minDelay: 100, maxDelay: 800 }, [300, 600]],
  ])('of one second with %o are %o', (input, bounds) => {
    expect(boundsOf({ backoff: SECOND, ...input })).toEqual(bounds);
  });

  it('include every sequence of decorrelated backoff', () => {
    const input = { backoff: { type: 'decorrelated', base: 100 }, maxDelay: '1s' } as const;

    expect([1, 2, 3, 4, Number.MAX_SAFE_INTEGER].map((retry) => boundsOf(input, retry))).toEqual([
      [100, 300],
      [100, 900],
      [100, 1_000],
      [100, 1_000],
      [100, 1_000],
    ]);
  });

  it('end at the largest double for decorrelated backoff without a cap', () => {
    const input = { backoff: { type: 'decorrelated', base: 1 }, maxDelay: 'Infinity' } as const;

    expect(boundsOf(input, 3)).toEqual([1, 27]);
    expect(boundsOf(input, Number.MAX_SAFE_INTEGER)).toEqual([1, Number.MAX_VALUE]);
  });

  it('are the limits for a custom strategy, which is not called', () => {
    const strategy = vi.fn(() => 5);
    const backoff = { type: 'custom', strategy } as const;

    expect(boundsOf({ backoff, jitter: 'none', minDelay: 10, maxDelay: '1m' })).toEqual([10, 60_000]);
    expect(strategy).not.toHaveBeenCalled();
  });

  it.each([0, -1, Number.NaN])('counts retry %d as the first', (retry) => {
    expect(boundsOf({ backoff: { type: 'list', delays: [7, 8] } }, retry)).toEqual([0, 7]);
  });
});
