import { retry, tryRetry } from '@retry/inprocess';
import { createTestClock, instantRetries, seededRandom } from '@retry/inprocess/testing';
import { describe, expect, it } from 'vitest';
import { alwaysFailing, failing } from './failing.ts';

describe('createTestClock', () => {
  it('runs hours of retries without waiting', async () => {
    const clock = createTestClock();
    const policy = { maxAttempts: 5, backoff: { type: 'constant', base: '30m' }, jitter: 'none' } as const;

    const result = retry(failing(1, 2, 3, 4), { ...policy, maxDelay: '1h' }, { clock });
    await clock.advance('2h');

    expect(await result).toBe('done');
    expect(clock.now()).toBe(7_200_000);
    expect(clock.pendingTimers()).toBe(0);
  });

  it('never goes back: a move while another one is under way begins where that ends', async () => {
    const clock = createTestClock();
    const seen: number[] = [];
    for (const minutes of [1, 60, 121]) clock.setTimer(() => seen.push(clock.now()), minutes * 60_000);

    await Promise.all([clock.advance('2h'), clock.advance('1m')]);
    expect([...seen, clock.now()]).toEqual([60_000, 3_600_000, 7_260_000, 7_260_000]);

    void clock.advance('30m');
    await clock.advance('30m');
    expect(clock.now()).toBe(7_260_000 + 3_600_000);
  });
});

describe('instantRetries', () => {
  it('removes the delays of a policy and keeps the rest', async () => {
    const policy = instantRetries({
      maxAttempts: 4,
      backoff: { type: 'constant', base: '1h' },
      minDelay: '1m',
      initialDelay: '1h',
    });

    const result = await tryRetry(
      alwaysFailing(Object.assign(new Error(), { headers: { 'retry-after': '9' } })),
      policy,
    );

    expect(result.history.map(({ delayMs }) => delayMs)).toEqual([0, 0, 0, undefined]);
  });
});

describe('seededRandom', () => {
  it('returns the same numbers for the same seed, different ones for another', () => {
    const draw = (seed: number) => Array.from({ length: 100 }, seededRandom(seed));

    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
  });

  it('stays within [0, 1) and spreads evenly', () => {
    const random = seededRandom(42);
    const drawn = Array.from({ length: 10_000 }, random);

    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn)).toBeLessThan(1);
    expect(drawn.reduce((sum, value) => sum + value) / drawn.length).toBeCloseTo(0.5, 1);
  });
});
