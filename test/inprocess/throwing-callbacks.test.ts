import type { PolicyInput } from '@retry/core';
import type { RetryOptions } from '@retry/inprocess';
import { createRetryBudget, tryRetry, withRetry } from '@retry/inprocess';
import { createRetryFetch } from '@retry/inprocess/fetch';
import { describe, expect, it, vi } from 'vitest';
import { alwaysFailing, rejectionOf } from './failing.ts';

const BROKEN = new TypeError('the callback is broken');
const OWN = new Error('own');
const PROMISED = Promise.resolve(false) as unknown as boolean;

const throwing = (): never => {
  throw BROKEN;
};

interface Case {
  readonly policy?: PolicyInput;
  readonly options?: RetryOptions;
}

const custom = (strategy: () => number): Case => ({ policy: { backoff: { type: 'custom', strategy } } });

/** Each callback that may throw while a failure of the call is decided on. */
const CALLBACKS: Readonly<Record<string, Case>> = {
  retryIf: { policy: { retryIf: throwing } },
  'a predicate of retryOn': { policy: { retryOn: [throwing] } },
  'a predicate of stopOn': { policy: { stopOn: [throwing] } },
  'a predicate of delays': { policy: { delays: [{ on: [throwing], backoff: { type: 'none' } }] } },
  'a strategy': custom(throwing),
  random: { options: { random: throwing } },
  'allowsRetry of a budget': {
    options: { budget: { ...createRetryBudget({ type: 'token-bucket' }), allowsRetry: throwing } },
  },
};

/** Each that answers with a promise where it must not. */
const ASYNC_GATES: Readonly<Record<string, Case>> = {
  retryIf: { policy: { retryIf: () => PROMISED } },
  'a predicate of retryOn': { policy: { retryOn: [() => PROMISED] } },
  'a predicate of stopOn': { policy: { stopOn: [() => PROMISED] } },
  'a strategy': custom(() => PROMISED as unknown as number),
};

const SOON: PolicyInput = { maxAttempts: 5, backoff: { type: 'constant', base: 1 } };

describe('a callback of a call', () => {
  it.each(Object.entries(CALLBACKS))(
    'that throws is reported once, and the call ends with its own error: %s',
    async (_name, { policy, options }) => {
      const reportError = vi.fn();
      const fn = alwaysFailing(OWN);

      const result = await tryRetry(fn, { ...SOON, ...policy }, { ...options, reportError });

      expect(result).toMatchObject({ ok: false, error: OWN, reason: 'stopped', thrown: BROKEN });
      expect(fn).toHaveBeenCalledTimes(1);
      expect(reportError.mock.calls).toEqual([[BROKEN]]);
    },
  );

  it.each(Object.entries(ASYNC_GATES))(
    'that answers with a promise where it must not is reported once: %s',
    async (_name, { policy, options }) => {
      const reportError = vi.fn();

      const result = await tryRetry(alwaysFailing(OWN), { ...SOON, ...policy }, { ...options, reportError });

      expect(result).toMatchObject({ ok: false, error: OWN, thrown: { code: 'ASYNC_GATE' } });
      expect(reportError.mock.calls).toEqual([[expect.objectContaining({ code: 'ASYNC_GATE' })]]);
    },
  );

  it.each([
    ['throws', throwing, BROKEN],
    ['answers with a promise', () => PROMISED, expect.objectContaining({ code: 'ASYNC_GATE' })],
  ])('that judges results and %s is reported once, and the result stays', async (_name, gate, thrown) => {
    const reportError = vi.fn();
    const load = withRetry(async () => ({ data: null }), SOON, { retryIfResult: gate, reportError });

    expect(await load()).toEqual({ data: null });
    expect(reportError.mock.calls).toEqual([[thrown]]);
  });

  it.each([200, 418])('that is asked about a response of %i is reported once', async (status) => {
    const reportError = vi.fn();
    const response = new Response(null, { status });
    const fetch = createRetryFetch(
      { ...SOON, retryOn: [throwing] },
      { fetch: async () => response, reportError },
    );

    expect(await fetch('http://localhost/')).toBe(response);
    expect(reportError.mock.calls).toEqual([[BROKEN]]);
  });

  it('that has aborted the call before it throws is reported once', async () => {
    for (const name of ['retryIf', 'retryIfResult'] as const) {
      const reportError = vi.fn();
      const controller = new AbortController();
      const gate = (): never => {
        controller.abort('enough');
        throw BROKEN;
      };
      const policy = name === 'retryIf' ? { ...SOON, retryIf: gate } : SOON;
      const options = { signal: controller.signal, reportError };
      const judged = name === 'retryIf' ? options : { ...options, retryIfResult: gate };
      const fn = name === 'retryIf' ? alwaysFailing(OWN) : (): string => 'done';

      expect(await rejectionOf(withRetry(fn as () => unknown, policy, judged)()), name).toBe('enough');
      expect(reportError.mock.calls, name).toEqual([[BROKEN]]);
    }
  });

  it.each([
    ['throws', throwing],
    ['rejects', async () => throwing()],
  ])(
    'that is awaited before a retry and %s ends the retrying on purpose: it is not reported',
    async (_how, beforeRetry) => {
      const reportError = vi.fn();

      const result = await tryRetry(alwaysFailing(OWN), SOON, { beforeRetry, reportError });

      expect(result).toMatchObject({ error: OWN, reason: 'stopped', thrown: BROKEN, attempts: 1 });
      expect(reportError).not.toHaveBeenCalled();
    },
  );
});
