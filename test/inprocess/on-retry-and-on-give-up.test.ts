import { NonRetryableError, type PolicyInput } from '@retry/core';
import { type GiveUpEvent, type RetryEvent, retry } from '@retry/inprocess';
import { describe, expect, it, vi } from 'vitest';
import { alwaysFailing, detailsOf, failing, rejectionOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;
const BROKEN = new Error('the rule is broken');

const throwing = (): never => {
  throw BROKEN;
};

describe('onRetry', () => {
  it('is called for each retry with its delay, and for nothing else', async () => {
    const clock = createFakeClock();
    const onRetry = vi.fn<(event: RetryEvent) => void>();
    const policy = { maxAttempts: 3, backoff: { type: 'list', delays: [10, 20] }, jitter: 'none' } as const;

    const result = rejectionOf(retry(failing('one', 'two', 'three'), policy, { clock, onRetry }));
    await clock.advance(100);
    await result;

    expect(detailsOf(onRetry)).toEqual([
      [{ attempt: 1, error: 'one', delayMs: 10 }],
      [{ attempt: 2, error: 'two', delayMs: 20 }],
    ]);
  });

  it('is called before the wait', async () => {
    const clock = createFakeClock();
    const onRetry = vi.fn();

    const policy = { backoff: { type: 'constant', base: '1h' } } as const;
    void retry(alwaysFailing(), policy, { clock, onRetry });
    await clock.advance(0);

    expect(onRetry).toHaveBeenCalledTimes(1);
  });

  it('is not called when the first attempt succeeds', async () => {
    const [onRetry, onGiveUp] = [vi.fn(), vi.fn()];

    await retry(() => 'done', AT_ONCE, { onRetry, onGiveUp: onGiveUp });

    expect(onRetry).not.toHaveBeenCalled();
    expect(onGiveUp).not.toHaveBeenCalled();
  });
});

describe('onGiveUp', () => {
  const tooLate = new Error('come back later');
  const endings: readonly [GiveUpEvent['reason'], PolicyInput, unknown, number][] = [
    ['exhausted', AT_ONCE, 'boom', 3],
    ['unexpected', { ...AT_ONCE, retryOn: [TypeError] }, new RangeError('other'), 1],
    ['unexpected', { ...AT_ONCE, retryOn: 'nothing' }, 'boom', 1],
    ['stopped', { ...AT_ONCE, stopOn: [TypeError] }, new TypeError('bug'), 1],
    ['stopped', AT_ONCE, new NonRetryableError('no'), 1],
    ['stopped', { ...AT_ONCE, retryIf: (_error, { attempt }) => attempt < 2 }, 'boom', 2],
    ['not-retryable', { ...AT_ONCE, retryable: false }, 'boom', 1],
    [
      'total-timeout',
      { backoff: { type: 'constant', base: '1m' }, jitter: 'none', totalTimeout: '5s' },
      'boom',
      1,
    ],
    ['retry-after', AT_ONCE, Object.assign(tooLate, { headers: { 'retry-after': '61' } }), 1],
  ];

  it.each(endings)('is called once with the reason %s, by %o', async (reason, policy, error, attempt) => {
    const onGiveUp = vi.fn<(event: GiveUpEvent) => void>();

    const thrown = await rejectionOf(
      retry(alwaysFailing(error), policy, { onGiveUp: onGiveUp, clock: createFakeClock() }),
    );

    expect(thrown).toBe(error);
    expect(detailsOf(onGiveUp)).toEqual([[{ attempt, error, reason }]]);
    expect(onGiveUp.mock.calls[0]?.[0].error).toBe(error);
  });

  it.each([1, 3])(
    'is called once with the reason aborted, and onRetry never, of %i attempts',
    async (maxAttempts) => {
      const controller = new AbortController();
      const [onRetry, onGiveUp] = [vi.fn(), vi.fn<(event: GiveUpEvent) => void>()];
      const options = { signal: controller.signal, onRetry, onGiveUp };

      const result = rejectionOf(retry(() => new Promise(() => {}), { ...AT_ONCE, maxAttempts }, options));
      controller.abort('enough');
      await result;

      expect(detailsOf(onGiveUp)).toEqual([[{ attempt: 1, error: 'enough', reason: 'aborted' }]]);
      expect(onRetry).not.toHaveBeenCalled();
    },
  );

  it.each(['retryIf', 'retryOn', 'strategy'])('receives what a %s threw', async (place) => {
    const [onGiveUp, reportError] = [vi.fn<(event: GiveUpEvent) => void>(), vi.fn()];
    const policies: Readonly<Record<string, PolicyInput>> = {
      retryIf: { ...AT_ONCE, retryIf: throwing },
      retryOn: { ...AT_ONCE, retryOn: [throwing] },
      strategy: { backoff: { type: 'custom', strategy: throwing } },
    };

    const thrown = await rejectionOf(
      retry(alwaysFailing('boom'), policies[place] ?? {}, { onGiveUp, reportError }),
    );

    expect(thrown).toBe('boom');
    expect(detailsOf(onGiveUp)).toEqual([[{ attempt: 1, error: 'boom', reason: 'stopped', thrown: BROKEN }]]);
    expect(reportError.mock.calls).toEqual([[BROKEN]]);
  });
});
