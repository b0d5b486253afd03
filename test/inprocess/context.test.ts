import { InvalidOptionsError } from '@retry/core';
import { type AttemptContext, retry, retryInfo } from '@retry/inprocess';
import { seededRandom } from '@retry/inprocess/testing';
import { describe, expect, it, vi } from 'vitest';
import { detailsOf, rejectionOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;
const EVERY_100_MS = { maxAttempts: 3, backoff: { type: 'constant', base: 100 }, jitter: 'none' } as const;

describe('ctx.id', () => {
  it('is the same for all attempts of a call and another for each call', async () => {
    const ids: string[][] = [[], []];
    for (const seen of ids) {
      await retry(({ id, isLast }) => {
        seen.push(id);
        if (!isLast) throw 'boom';
      }, AT_ONCE);
    }

    expect(ids.map((seen) => new Set(seen).size)).toEqual([1, 1]);
    expect(ids[0]?.[0]).not.toBe(ids[1]?.[0]);
    expect(ids[0]?.[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is predictable with the option random', async () => {
    const idOf = () => retry(({ id }) => id, AT_ONCE, { random: seededRandom(7) });

    expect(await idOf()).toBe(await idOf());
    expect(await idOf()).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('ctx.elapsedMs and ctx.remainingMs', () => {
  it('count from the call’s start, and down to the attempt’s timeout', async () => {
    const clock = createFakeClock();
    const seen: (readonly [number, number])[] = [];

    const result = retry(
      ({ elapsedMs, remainingMs, isLast }) => {
        seen.push([elapsedMs, remainingMs]);
        if (!isLast) throw 'boom';
      },
      { ...EVERY_100_MS, attemptTimeout: 500, totalTimeout: 650 },
      { clock },
    );
    await clock.advance(200);
    await result;

    expect(seen).toEqual([
      [0, 500],
      [100, 500],
      [200, 450],
    ]);
  });

  it('is Infinity without a limit', async () => {
    expect(await retry(({ remainingMs }) => remainingMs, AT_ONCE)).toBe(Infinity);
  });
});

describe('ctx.stop', () => {
  it('makes its error the last, whatever the policy says', async () => {
    const error = new Error('no use');
    const fn = vi.fn(({ stop }: AttemptContext) => stop(error));

    const thrown = await rejectionOf(retry(fn, { ...AT_ONCE, retryOn: [Error] }));

    expect(thrown).toBe(error);
    expect(retryInfo(error)?.reason).toBe('stopped');
    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('applies even when another error is thrown after it', async () => {
    const fn = vi.fn((context: AttemptContext) => {
      try {
        context.stop('no use');
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: throwing over it is what this is about.
        throw 'something else';
      }
    });

    const thrown = await rejectionOf(retry(fn, AT_ONCE));

    expect(thrown).toBe('no use');
    expect(fn).toHaveBeenCalledTimes(1);
  });
});

describe('ctx.retryAfter', () => {
  it('asks for a delay, and the error stays as it is', async () => {
    const clock = createFakeClock();
    const error = Object.freeze(new Error('busy'));
    const onRetry = vi.fn();

    const result = retry(
      ({ attempt, retryAfter }) => (attempt === 1 ? retryAfter('5s', error) : 'done'),
      EVERY_100_MS,
      { clock, onRetry, random: () => 0 },
    );
    await clock.advance(5_000);

    expect(await result).toBe('done');
    expect(detailsOf(onRetry)).toEqual([[{ attempt: 1, error, delayMs: 5_000, askedBy: 'server' }]]);
  });

  it('ends the retrying beyond retryAfter.max', async () => {
    const thrown = await rejectionOf(
      retry(({ retryAfter }) => retryAfter('2m', new Error('busy')), EVERY_100_MS),
    );

    expect(retryInfo(thrown)).toMatchObject({ attempts: 1, reason: 'retry-after' });
  });

  it('throws an InvalidOptionsError for an invalid delay', async () => {
    const error = new Error('busy');

    const thrown = await rejectionOf(retry(({ retryAfter }) => retryAfter(-1, error), AT_ONCE));

    expect(thrown).toBeInstanceOf(InvalidOptionsError);
    expect(thrown).toHaveProperty('cause', error);
    // Another attempt would not mend it.
    expect(retryInfo(thrown)).toMatchObject({ attempts: 1, reason: 'stopped' });
  });
});

describe('onAttempt', () => {
  it('is called for every attempt before it starts', async () => {
    const seen: string[] = [];

    await retry(
      ({ attempt, isLast }) => {
        seen.push(`runs ${attempt}`);
        if (!isLast) throw 'boom';
      },
      AT_ONCE,
      { onAttempt: ({ attempt }) => seen.push(`called ${attempt}`) },
    );

    expect(seen).toEqual(['called 1', 'runs 1', 'called 2', 'runs 2', 'called 3', 'runs 3']);
  });

  it('may abort: then the attempt does not start', async () => {
    const controller = new AbortController();
    const fn = vi.fn();
    const onAttempt = (): void => controller.abort('enough');

    expect(await rejectionOf(retry(fn, AT_ONCE, { signal: controller.signal, onAttempt }))).toBe('enough');
    expect(fn).not.toHaveBeenCalled();
  });

  it('changes nothing when it throws', async () => {
    const [reportError, broken] = [vi.fn(), new Error('broken')];
    const onAttempt = () => Promise.reject(broken);

    expect(await retry(() => 'done', AT_ONCE, { onAttempt, reportError })).toBe('done');
    await vi.waitFor(() => expect(reportError.mock.calls).toEqual([[broken]]), { timeout: 20_000 });
  });
});

describe('a loop without delay', () => {
  it('can be aborted by a timer', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort('enough'), 5);

    const result = retry(
      () => Promise.reject('boom'),
      { ...AT_ONCE, maxAttempts: Infinity },
      {
        signal: controller.signal,
      },
    );

    expect(await rejectionOf(result)).toBe('enough');
  });
});

it('can be logged', async () => {
  const logged = await retry((context) => JSON.parse(JSON.stringify({ context })), { maxAttempts: 2 });

  expect(logged).toEqual({
    context: {
      ...{ id: expect.any(String), attempt: 1, maxAttempts: 2, isLast: false },
      ...{ elapsedMs: expect.any(Number), remainingMs: null },
    },
  });
});
