import { type AttemptContext, type GiveUpEvent, retry, tryRetry, withRetry } from '@retry/inprocess';
import { describe, expect, it, vi } from 'vitest';
import { detailsOf, rejectionOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;
const TWICE = { ...AT_ONCE, maxAttempts: 2 };

describe('retryIfResult', () => {
  it('retries results that it refuses', async () => {
    const fn = vi.fn().mockResolvedValueOnce('pending').mockResolvedValueOnce('ready');

    const result = await withRetry(fn, AT_ONCE, { retryIfResult: (state) => state === 'pending' })();

    expect(result).toBe('ready');
    expect(fn).toHaveBeenCalledTimes(2);
  });

  it('passes the refused result to a strategy, which may wait for as long as it says', async () => {
    const seen: unknown[] = [];
    const strategy = (_retry: number, { error }: { readonly error?: unknown }): number => seen.push(error);

    await retry(
      ({ attempt }) => attempt,
      { maxAttempts: 3, backoff: { type: 'custom', strategy }, jitter: 'none' },
      {
        retryIfResult: () => true,
      },
    );

    expect(seen).toEqual([1, 2]);
  });

  it('resolves with the last result when no attempt is left, and onGiveUp has the reason', async () => {
    const onGiveUp = vi.fn<(event: GiveUpEvent) => void>();

    const result = await retry(({ attempt }) => attempt, AT_ONCE, {
      retryIfResult: () => true,
      onGiveUp: onGiveUp,
    });

    expect(result).toBe(3);
    const error = expect.objectContaining({ code: 'RESULT_REFUSED', attempt: 3 });
    expect(detailsOf(onGiveUp)).toEqual([[{ attempt: 3, error, result: 3, reason: 'exhausted' }]]);
  });

  it.each([
    ['pending', 'the result of attempt 1 was not accepted'],
    [new Response(null, { status: 503 }), 'the result of attempt 1 was not accepted: its status is 503'],
    [null, 'the result of attempt 1 was not accepted'],
    [{ status: 'open' }, 'the result of attempt 1 was not accepted'],
    [
      {
        get status() {
          throw new Error('own');
        },
      },
      'the result of attempt 1 was not accepted',
    ],
  ])(
    'gives every event, context and history an error with a message, for the result %#',
    async (value, message) => {
      const seen: unknown[] = [];
      const see = ({ error }: { readonly error: unknown }): void => void seen.push(error);
      const hooks = { onRetry: see, beforeRetry: see, onGiveUp: see };
      const fn = ({ previousError: error }: AttemptContext): unknown => {
        if (error !== undefined) see({ error });
        return value;
      };

      const { history } = await tryRetry(fn, TWICE, { ...hooks, retryIfResult: () => true });
      history.map(see);

      expect(seen).toHaveLength(6);
      for (const error of seen) expect(error).toMatchObject({ code: 'RESULT_REFUSED' });
      expect(Object(seen[0]).message).toBe(message);
    },
  );

  it('is not affected by retryOn, stopOn and retryIf, which are about errors', async () => {
    const policy = { ...AT_ONCE, retryOn: [TypeError], stopOn: [{ status: 503 }], retryIf: () => false };
    const fn = vi.fn(() => ({ status: 503 }));

    await retry(fn, policy, { retryIfResult: ({ status }) => status === 503 });

    expect(fn).toHaveBeenCalledTimes(3);
  });

  it('uses the delay that a Response asks for', async () => {
    const clock = createFakeClock();
    const busy = new Response(null, { status: 503, headers: { 'retry-after': '7' } });
    const fn = vi.fn().mockResolvedValueOnce(busy).mockResolvedValueOnce(new Response('ok'));

    const result = withRetry(fn, AT_ONCE, { clock, random: () => 0, retryIfResult: ({ ok }) => !ok })();
    await clock.advance(7_000);

    expect(await (await result).text()).toBe('ok');
    expect(clock.delays).toEqual([7_000]);
  });

  it.each([
    ['throws', () => JSON.parse('{')],
    ['answers with a promise', () => Promise.resolve(false) as unknown as boolean],
  ])('that %s ends the retrying with the result', async (_name, retryIfResult) => {
    const onGiveUp = vi.fn<(event: GiveUpEvent) => void>();

    const result = await retry(({ attempt }) => attempt, AT_ONCE, {
      ...{ retryIfResult, onGiveUp },
      reportError: () => {},
    });

    expect(result).toBe(1);
    expect(onGiveUp.mock.calls[0]?.[0]).toMatchObject({ reason: 'stopped', thrown: expect.any(Error) });
  });

  it('resolves with the last result when the total timeout leaves no time for another', async () => {
    const clock = createFakeClock();
    const policy = { backoff: { type: 'constant', base: 600 }, jitter: 'none', totalTimeout: '1s' } as const;

    const result = tryRetry(({ attempt }) => attempt, policy, { clock, retryIfResult: () => true });
    await clock.block(1_500);

    expect(await result).toMatchObject({ ok: true, value: 1, attempts: 1 });
  });

  it('rejects with the reason of an abort that comes while it waits', async () => {
    const controller = new AbortController();
    const policy = { backoff: { type: 'constant', base: '1h' }, jitter: 'none' } as const;
    const options = { signal: controller.signal, retryIfResult: () => true };

    const result = rejectionOf(
      retry(() => 1, policy, { ...options, onRetry: () => controller.abort('enough') }),
    );

    expect(await result).toBe('enough');
  });
});
