import { createRetryGroup, retryInfo, tryRetry } from '@retry/inprocess';
import { describe, expect, it } from 'vitest';
import { alwaysFailing } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const HOUR = { backoff: { type: 'constant', base: '1h' }, jitter: 'none' } as const;

describe('the history of a call', () => {
  it('has no delay before an attempt that never started', async () => {
    const clock = createFakeClock();
    const aborted = new AbortController();
    const group = createRetryGroup();
    const asked = { ...HOUR, maxAttempts: 3 };

    const abort = tryRetry(alwaysFailing(), asked, { clock, signal: aborted.signal });
    const drain = tryRetry(alwaysFailing(), asked, { clock, group });
    const refuse = tryRetry(
      alwaysFailing(),
      { ...asked, backoff: { type: 'none' } },
      {
        clock,
        beforeRetry: () => Promise.reject(new Error('no token')),
      },
    );
    await clock.advance(1_000);
    aborted.abort();
    await group.drain();

    for (const ended of [abort, drain, refuse])
      expect((await ended).history).toEqual([expect.objectContaining({ attempt: 1, delayMs: undefined })]);
  });

  it('keeps the instants of failures as they were when the clock is set afterwards', async () => {
    const clock = createFakeClock();
    let aheadMs = 0;
    const error = new Error('down');
    const set = { ...clock, wallNow: () => clock.now() + aheadMs };

    const ended = tryRetry(alwaysFailing(error), { ...HOUR, maxAttempts: 2 }, { clock: set });
    await clock.advance(0);
    aheadMs = 9_000_000;
    await clock.advance(3_600_000);
    await ended;
    const before = retryInfo(error)?.history;
    aheadMs = 0;

    expect(before?.map(({ failedAt }) => failedAt)).toEqual([1_000_000, 1_000_000 + 3_600_000 + 9_000_000]);
    expect(retryInfo(error)?.history).toEqual(before);
  });
});
