import { AttemptTimeoutError, InvalidOptionsError } from '@retry/core';
import { createRetryBudget, retryInfo, tryRetry } from '@retry/inprocess';
import { describe, expect, it, vi } from 'vitest';
import { alwaysFailing, failing } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const AT_ONCE = { maxAttempts: 10, backoff: { type: 'none' } } as const;

function abortable(): { readonly abort: () => void; readonly signal: AbortSignal } {
  const controller = new AbortController();
  return { abort: () => controller.abort(), signal: controller.signal };
}

describe('createRetryBudget', () => {
  it('is shared: what one call spends another cannot', async () => {
    const budget = createRetryBudget({ type: 'token-bucket', capacity: 20, costs: { default: 5 } });
    const error = new Error('down');

    const first = await tryRetry(alwaysFailing(), { ...AT_ONCE, maxAttempts: 3 }, { budget });
    const second = await tryRetry(alwaysFailing(error), AT_ONCE, { budget });

    expect([first.attempts, second.attempts]).toEqual([3, 3]);
    expect(retryInfo(error)?.reason).toBe('budget');
  });

  it('never refuses a first attempt', async () => {
    const budget = createRetryBudget({ type: 'token-bucket', capacity: 0 });

    expect(await tryRetry(() => 'done', AT_ONCE, { budget })).toMatchObject({ ok: true, attempts: 1 });
  });

  it('refunds the latest retry of a call that then succeeds, as the AWS SDK does', async () => {
    const budget = createRetryBudget({ type: 'token-bucket', capacity: 20 });

    await tryRetry(failing(new AttemptTimeoutError(5, 1), 'two'), AT_ONCE, { budget });

    expect(budget.state().tokens).toEqual([20 - 10]);
  });

  it('refunds nothing to a call whose retry was free', async () => {
    const free = { type: 'token-bucket', capacity: 20, costs: { default: 0 } } as const;
    const budget = createRetryBudget({ ...free, costs: { default: 5, free: 0 } }, { kindOf: () => 'free' });
    budget.record({ type: 'retry' });

    await tryRetry(failing('one'), AT_ONCE, { budget });

    expect(budget.state().tokens).toEqual([15]);
  });

  it('charges more for a timeout', async () => {
    const budget = createRetryBudget({ type: 'token-bucket', capacity: 20 });

    await tryRetry(alwaysFailing(new AttemptTimeoutError(5, 1)), { ...AT_ONCE, maxAttempts: 2 }, { budget });

    expect(budget.state().tokens).toEqual([10]);
  });

  it('charges the price of a custom kind', async () => {
    const costs = { default: 1, throttled: 7 };
    const kindOf = (): string => 'throttled';
    const budget = createRetryBudget({ type: 'token-bucket', capacity: 20, costs }, { kindOf });

    await tryRetry(alwaysFailing(), { ...AT_ONCE, maxAttempts: 2 }, { budget });

    expect(budget.state().tokens).toEqual([13]);
  });

  it('allows a share of the requests: ratio', async () => {
    const clock = createFakeClock();
    const budget = createRetryBudget({ type: 'ratio', ratio: 0.5, minPerSecond: 0 }, { clock });

    for (let count = 0; count < 4; count += 1) await tryRetry(() => 'done', AT_ONCE, { budget });
    const result = await tryRetry(alwaysFailing(), AT_ONCE, { budget });

    expect(result.attempts).toBe(3);
  });

  it('stops at half of its tokens: throttle', async () => {
    const budget = createRetryBudget({ type: 'throttle', maxTokens: 4 });

    expect(await tryRetry(alwaysFailing(), AT_ONCE, { budget })).toMatchObject({
      attempts: 2,
      reason: 'budget',
    });
  });

  it.each([
    ['an error that the policy does not expect', { retryOn: [{ status: 503 }] }],
    ['one that stops the retrying', { stopOn: [{ status: 400 }] }],
  ])('counts no failure for %s: it says nothing about the server', async (_name, rules) => {
    const budget = createRetryBudget({ type: 'throttle', maxTokens: 4 });
    const bad = Object.assign(new Error('bad input'), { status: 400 });

    await tryRetry(alwaysFailing(bad), { ...AT_ONCE, ...rules }, { budget });
    await tryRetry(({ stop }) => stop(bad), AT_ONCE, { budget });

    expect(budget.state().tokens).toEqual([4]);
  });

  it('counts a failure once, the last one of a call and one beyond its total time, too', async () => {
    const budget = createRetryBudget({ type: 'throttle', maxTokens: 100 });

    await tryRetry(alwaysFailing(), { ...AT_ONCE, maxAttempts: 3 }, { budget });
    await tryRetry(
      alwaysFailing(),
      { backoff: { type: 'constant', base: '1h' }, totalTimeout: 5 },
      { budget },
    );

    expect(budget.state().tokens).toEqual([96]);
  });

  it('counts a request when its first attempt starts, and none that does not', async () => {
    const clock = createFakeClock();
    const budget = createRetryBudget({ type: 'ratio', ratio: 1, minPerSecond: 0 }, { clock });

    for (let count = 0; count < 5; count += 1)
      await tryRetry(() => 'done', AT_ONCE, { budget, signal: AbortSignal.abort() });

    expect(budget.allowsRetry(new Error('down'))).toBe(false);
    await tryRetry(() => 'done', AT_ONCE, { budget });
    expect(budget.allowsRetry(new Error('down'))).toBe(true);
  });

  it('counts no request whose first attempt does not start because onAttempt aborted', async () => {
    const clock = createFakeClock();
    const budget = createRetryBudget({ type: 'ratio', ratio: 1, minPerSecond: 0 }, { clock });

    for (let count = 0; count < 5; count += 1) {
      const { abort, signal } = abortable();
      await tryRetry(() => 'done', AT_ONCE, { budget, signal, onAttempt: abort });
    }

    expect(budget.allowsRetry(new Error('down'))).toBe(false);
  });

  it('takes a kind that is promised for the default one, and reports it', async () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {});
    const kindOf = () => Promise.reject(new Error('lookup failed')) as never;
    const budget = createRetryBudget({ type: 'token-bucket', capacity: 20 }, { kindOf });

    const result = await tryRetry(alwaysFailing(), { ...AT_ONCE, maxAttempts: 2 }, { budget });
    await new Promise((resolve) => setImmediate(resolve));

    expect([result.attempts, budget.state().tokens]).toEqual([2, [15]]);
    expect(reported).toHaveBeenCalledWith(expect.objectContaining({ code: 'ASYNC_GATE' }));
    reported.mockRestore();
  });

  it.each([
    [
      'tokens refilled',
      { type: 'token-bucket', capacity: 20, costs: { default: 5 }, refillPerSecond: 1 } as const,
      [15],
      [18],
    ],
    [
      'the window moved on',
      { type: 'ratio', ratio: 0, minPerSecond: 1, window: '10s' } as const,
      [-1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      [0, 0, 0, -1, 0, 0, 0, 0, 0, 0],
    ],
  ])('shows its state as of now: %s', async (_name, input, before, after) => {
    const clock = createFakeClock();
    const budget = createRetryBudget(input, { clock });

    await tryRetry(alwaysFailing(), { ...AT_ONCE, maxAttempts: 2 }, { budget });
    expect(budget.state().tokens).toEqual(before);
    await clock.advance(3_000);

    expect(budget.state().tokens).toEqual(after);
  });

  it('throws an InvalidOptionsError for an invalid budget', () => {
    expect(() => createRetryBudget({ type: 'ratio', ratio: -1 })).toThrow(InvalidOptionsError);
  });
});
