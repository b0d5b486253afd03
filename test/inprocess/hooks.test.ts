import { setImmediate } from 'node:timers/promises';
import { retry } from '@retry/inprocess';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { callHook } from '../../packages/inprocess/src/call/hooks.ts';
import { alwaysFailing, failing, rejectionOf } from './failing.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;
const BROKEN = new Error('the hook is broken');

const throwing = (): never => {
  throw BROKEN;
};
const rejecting = async (): Promise<never> => throwing();

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe('a broken hook', () => {
  it.each([
    ['throws', throwing],
    ['rejects', rejecting],
  ])('that %s is reported and changes nothing', async (_name, hook) => {
    const reportError = vi.fn();
    const fn = failing('one', 'two', 'three');

    const thrown = await rejectionOf(retry(fn, AT_ONCE, { onRetry: hook, onGiveUp: hook, reportError }));

    expect(thrown).toBe('three');
    expect(fn).toHaveBeenCalledTimes(3);
    await vi.waitFor(() => expect(reportError.mock.calls).toEqual([[BROKEN], [BROKEN], [BROKEN]]), {
      timeout: 20_000,
    });
  });

  it('does not fail a call that succeeds', async () => {
    const result = await retry(failing('one'), AT_ONCE, { onRetry: throwing, reportError: () => {} });

    expect(result).toBe('done');
  });

  it('changes nothing when the reporter throws, too', async () => {
    const reportError = vi.fn(throwing);

    const thrown = await rejectionOf(
      retry(alwaysFailing('boom'), AT_ONCE, { onRetry: throwing, onGiveUp: rejecting, reportError }),
    );

    expect(thrown).toBe('boom');
    await vi.waitFor(() => expect(reportError).toHaveBeenCalledTimes(3), { timeout: 20_000 });
  });
});

describe('what a hook returns', () => {
  it('is awaited for errors, also if it is a promise of another realm or a thenable', async () => {
    const reportError = vi.fn();
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what this is about.
    const hook = (): unknown => ({ then: (_: unknown, reject?: (error: Error) => void) => reject?.(BROKEN) });

    callHook(hook, 1, reportError);
    await setImmediate();

    expect(reportError.mock.calls).toEqual([[BROKEN]]);
  });

  it('may make an asynchronous reporter reject, which is ignored', async () => {
    const others = process.rawListeners('unhandledRejection') as (() => void)[]; // vitest's own
    const unhandled = vi.fn();
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', unhandled);

    callHook(throwing, 1, rejecting);
    await setImmediate();
    await setImmediate();
    process.removeAllListeners('unhandledRejection');
    for (const other of others) process.on('unhandledRejection', other);

    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('callHook', () => {
  it('accepts an absent hook', () => {
    expect(() => callHook(undefined, 1)).not.toThrow();
  });

  it('passes the event on', () => {
    const hook = vi.fn();

    callHook(hook, 'event');

    expect(hook.mock.calls).toEqual([['event']]);
  });

  it('reports to the global reportError where there is one', () => {
    const reportError = vi.fn();
    vi.stubGlobal('reportError', reportError);

    callHook(throwing, 1);

    expect(reportError.mock.calls).toEqual([[BROKEN]]);
  });

  it('reports to the console where there is none', () => {
    vi.stubGlobal('reportError', undefined);
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});

    callHook(throwing, 1);

    expect(print.mock.calls).toEqual([[BROKEN]]);
  });
});
