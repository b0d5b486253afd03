import { retry, retryInfo, tryRetry, withRetry } from '@retry/inprocess';
import { describe, expect, it, vi } from 'vitest';
import { alwaysFailing, failing, rejectionOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const EVERY_100_MS = { maxAttempts: 3, backoff: { type: 'constant', base: 100 }, jitter: 'none' } as const;

describe('retryInfo', () => {
  it('returns attempts, delays, reason and history of an error without changing it', async () => {
    const clock = createFakeClock();
    const errors = [new Error('one'), new Error('two'), Object.freeze(new Error('three'))];

    const result = rejectionOf(withRetry(failing(...errors), EVERY_100_MS, { clock })());
    await clock.advance(200);
    const thrown = await result;

    expect(thrown).toBe(errors[2]);
    expect(Reflect.ownKeys(errors[2] ?? {})).toEqual(['stack', 'message']);
    expect(retryInfo(thrown)).toMatchObject({ attempts: 3, reason: 'exhausted' });
    expect(retryInfo(thrown)?.history).toEqual([
      { attempt: 1, error: errors[0], failedAt: 1_000_000, delayMs: 100 },
      { attempt: 2, error: errors[1], failedAt: 1_000_100, delayMs: 100 },
      { attempt: 3, error: errors[2], failedAt: 1_000_200, delayMs: undefined },
    ]);
  });

  it('has the id of the attempts', async () => {
    const ids: string[] = [];

    const thrown = await rejectionOf(
      retry(
        ({ id }) => {
          ids.push(id);
          throw new Error('boom');
        },
        { maxAttempts: 2, backoff: { type: 'none' } },
      ),
    );

    expect(new Set([...ids, retryInfo(thrown)?.id]).size).toBe(1);
    expect(ids).toHaveLength(2);
  });

  it('returns undefined for other errors, and for values that are not objects', async () => {
    await tryRetry(alwaysFailing('text'), { maxAttempts: 1 });

    expect([new Error('other'), 'text', undefined, null].map(retryInfo)).toEqual(Array(4).fill(undefined));
  });

  it('says no more than that, if several calls ended with one error', async () => {
    const error = new Error('constant');
    const known: unknown[] = [];

    for (const maxAttempts of [2, 1, 3]) {
      await tryRetry(alwaysFailing(error), { maxAttempts, backoff: { type: 'none' } });
      known.push(retryInfo(error)?.attempts, retryInfo(error)?.isShared);
    }

    expect(known).toEqual([2, false, undefined, true, undefined, true]);
  });

  it('says no more than that of the reason of a signal that ended several calls, in whatever order', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const forever = () => new Promise(() => {});
    const calls = [
      retry(forever, {}, { signal }),
      retry(forever, {}, { signal }),
      retry(forever, {}, { signal }),
    ];

    controller.abort();
    const thrown = await Promise.all(calls.map(rejectionOf));

    expect(thrown.map(retryInfo)).toEqual(Array(3).fill({ isShared: true }));
  });

  it.each([
    ['fails by itself', () => undefined],
    ['is aborted', (abort: () => void) => abort()],
  ])('describes the outermost of calls inside one another, if that %s', async (_how, end) => {
    const controller = new AbortController();
    const error = new Error('own');
    const inner = { maxAttempts: 2, backoff: { type: 'none' } } as const;
    const fail = (): never => {
      end(() => controller.abort(error));
      throw error;
    };

    const thrown = await rejectionOf(
      retry((parent) => retry(fail, inner, { parent }), { maxAttempts: 1 }, { signal: controller.signal }),
    );

    expect(thrown).toBe(error);
    expect(retryInfo(thrown)).toMatchObject({ isShared: false, attempts: 1 });
  });

  it('has what a gate threw', async () => {
    const broken = new Error('broken gate');
    const retryIf = (): never => {
      throw broken;
    };

    const reportError = vi.fn();

    const thrown = await rejectionOf(retry(alwaysFailing(), { retryIf }, { reportError }));

    expect(retryInfo(thrown)).toMatchObject({ reason: 'stopped', thrown: broken });
    expect(reportError.mock.calls).toEqual([[broken]]);
  });
});
