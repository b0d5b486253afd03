import { InvalidOptionsError, isRetryError, NonRetryableError } from '@retry/core';
import type { CircuitBreaker, CircuitBreakerOptions } from '@retry/inprocess';
import {
  CircuitOpenError,
  createCircuitBreaker,
  createRetryBudget,
  createRetryGroup,
  retry,
  retryInfo,
  retryIterable,
  tryRetry,
  withRetry,
} from '@retry/inprocess';
import { createRetryFetch } from '@retry/inprocess/fetch';
import { describe, expect, it, vi } from 'vitest';
import { alwaysFailing, failing, rejectionOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const AT_ONCE = { maxAttempts: 10, backoff: { type: 'none' } } as const;

/** Opens at three outcomes, half of them failures, for one second. */
const THREE = { failureRatio: 0.5, minimumThroughput: 3, breakDuration: '1s' } as const;

function breakerWith(options?: CircuitBreakerOptions): {
  readonly clock: ReturnType<typeof createFakeClock>;
  readonly circuitBreaker: CircuitBreaker;
} {
  const clock = createFakeClock();
  return { clock, circuitBreaker: createCircuitBreaker({ ...THREE, clock, ...options }) };
}

function deferred(): { readonly promise: Promise<string>; readonly resolve: (value: string) => void } {
  let resolve = (_: string): void => {};
  const promise = new Promise<string>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}

async function openBreaker(options?: CircuitBreakerOptions): Promise<ReturnType<typeof breakerWith>> {
  const made = breakerWith(options);
  await tryRetry(alwaysFailing(), AT_ONCE, { circuitBreaker: made.circuitBreaker });
  return made;
}

describe('a call with a circuit breaker', () => {
  it('ends its retrying with the failure that opens the circuit breaker, and rejects with its own error', async () => {
    const { circuitBreaker } = breakerWith();
    const error = new Error('down');
    const onGiveUp = vi.fn();
    const onRetry = vi.fn();

    const result = await tryRetry(alwaysFailing(error), AT_ONCE, { circuitBreaker, onGiveUp, onRetry });

    expect(circuitBreaker.state).toBe('open');
    expect(result).toMatchObject({ ok: false, reason: 'circuit-open', attempts: 3 });
    expect(result).toHaveProperty('error', error);
    expect(retryInfo(error)).toMatchObject({ reason: 'circuit-open', attempts: 3 });
    expect(onGiveUp).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ reason: 'circuit-open', error }),
    );
    expect(onRetry).toHaveBeenCalledTimes(2);
  });

  it('keeps the reason of the policy when that ends the retrying as well', async () => {
    const { circuitBreaker } = breakerWith();

    const result = await tryRetry(alwaysFailing(), { ...AT_ONCE, maxAttempts: 3 }, { circuitBreaker });

    expect(result).toMatchObject({ reason: 'exhausted' });
    expect(circuitBreaker.state).toBe('open');
  });

  it('fails immediately while it is open, without calling the function', async () => {
    const { circuitBreaker } = await openBreaker();
    const fn = failing();
    const onAttempt = vi.fn();

    const result = await tryRetry(fn, AT_ONCE, { circuitBreaker, onAttempt });

    expect(fn).not.toHaveBeenCalled();
    expect(onAttempt).not.toHaveBeenCalled();
    expect(result).toMatchObject({ ok: false, reason: 'circuit-open', attempts: 0, history: [] });
    expect(result).toHaveProperty('error.code', 'CIRCUIT_OPEN');
    expect(result).toHaveProperty('error.retryAfterMs', 1_000);
  });

  it('fails with a CircuitOpenError in withRetry, retry and retryIterable', async () => {
    const { circuitBreaker } = await openBreaker();
    const items = async function* (): AsyncGenerator<number> {
      yield 1;
    };

    const errors = await Promise.all([
      rejectionOf(withRetry(failing(), AT_ONCE, { circuitBreaker })()),
      rejectionOf(retry(failing(), AT_ONCE, { circuitBreaker })),
      rejectionOf(retryIterable(items, AT_ONCE, { circuitBreaker }).next()),
    ]);

    for (const error of errors) {
      expect(error).toBeInstanceOf(CircuitOpenError);
      expect(isRetryError(error, 'CIRCUIT_OPEN')).toBe(true);
      expect(retryInfo(error)).toMatchObject({ reason: 'circuit-open', attempts: 0 });
    }
  });

  it('fails with a CircuitOpenError after an initial delay, too', async () => {
    const { circuitBreaker, clock } = await openBreaker();

    const call = tryRetry(failing(), { ...AT_ONCE, initialDelay: 10 }, { circuitBreaker, clock });
    await clock.advance(10);

    expect(await call).toMatchObject({ ok: false, error: { code: 'CIRCUIT_OPEN', retryAfterMs: 990 } });
  });

  it('ends a wait for a retry with the error of the attempt before, if it has opened meanwhile', async () => {
    const { circuitBreaker, clock } = breakerWith();
    const error = new Error('mine');
    const policy = { maxAttempts: 5, backoff: { type: 'constant', base: 100 }, jitter: 'none' } as const;
    const waiting = tryRetry(alwaysFailing(error), policy, { circuitBreaker, clock });
    await clock.advance(0);

    await tryRetry(alwaysFailing(), AT_ONCE, { circuitBreaker });
    await clock.advance(100);

    expect(circuitBreaker.state).toBe('open');
    expect(await waiting).toMatchObject({ ok: false, error, reason: 'circuit-open', attempts: 1 });
  });

  it('is shared: one probe closes it for every call', async () => {
    const { circuitBreaker, clock } = await openBreaker();
    await clock.advance(1_000);
    const { promise, resolve } = deferred();

    const probe = tryRetry(() => promise, AT_ONCE, { circuitBreaker });
    const other = await tryRetry(failing(), AT_ONCE, { circuitBreaker });
    const duringProbe = circuitBreaker.state;
    resolve('up');

    expect(other).toMatchObject({ ok: false, error: { code: 'CIRCUIT_OPEN' } });
    expect(await probe).toMatchObject({ ok: true, value: 'up' });
    expect([duringProbe, circuitBreaker.state]).toEqual(['half-open', 'closed']);
    expect(await tryRetry(failing(), AT_ONCE, { circuitBreaker })).toMatchObject({ ok: true });
  });

  it('opens again when the probe fails, which is not retried', async () => {
    const { circuitBreaker, clock } = await openBreaker();
    await clock.advance(1_000);
    const fn = alwaysFailing();

    const result = await tryRetry(fn, AT_ONCE, { circuitBreaker });

    expect(fn).toHaveBeenCalledTimes(1);
    expect(result).toMatchObject({ reason: 'circuit-open', attempts: 1 });
    expect(circuitBreaker.state).toBe('open');
  });
});

describe('what a circuit breaker counts', () => {
  const stopping = { ...AT_ONCE, maxAttempts: 2, stopOn: [{ name: 'RangeError' }] };

  it('counts neither an unexpected error nor one that a rule stops', async () => {
    const { circuitBreaker } = breakerWith({ minimumThroughput: 1 });

    await tryRetry(alwaysFailing(new RangeError('no')), stopping, { circuitBreaker });
    await tryRetry(alwaysFailing(), { ...AT_ONCE, retryOn: 'nothing' }, { circuitBreaker });
    await tryRetry(alwaysFailing(new NonRetryableError('no')), AT_ONCE, { circuitBreaker });
    await tryRetry(({ stop }) => stop(new Error('no')), AT_ONCE, { circuitBreaker });
    await tryRetry(alwaysFailing(), { ...AT_ONCE, retryIf: () => false }, { circuitBreaker });

    expect(circuitBreaker.state).toBe('closed');
  });

  it('counts no success for an unexpected error', async () => {
    const { circuitBreaker } = breakerWith({ failureRatio: 1, minimumThroughput: 2 });

    await tryRetry(alwaysFailing(new RangeError('no')), stopping, { circuitBreaker });
    await tryRetry(alwaysFailing(), stopping, { circuitBreaker });

    expect(circuitBreaker.state).toBe('open');
  });

  it('counts an attempt that timed out, by either timeout', async () => {
    for (const timeout of ['attemptTimeout', 'totalTimeout'] as const) {
      const { circuitBreaker, clock } = breakerWith({ minimumThroughput: 1 });
      const call = tryRetry(() => new Promise(() => {}), { [timeout]: 10 }, { circuitBreaker, clock });
      await clock.advance(10);

      expect(await call).toMatchObject({ ok: false });
      expect(circuitBreaker.state).toBe('open');
    }
  });

  it('counts a result that retryIfResult refuses, and resolves with it when that opens the circuit breaker', async () => {
    const { circuitBreaker } = breakerWith();

    const result = await tryRetry(() => 503, AT_ONCE, { circuitBreaker, retryIfResult: () => true });

    expect(result).toMatchObject({
      ok: true,
      isRefused: true,
      value: 503,
      reason: 'circuit-open',
      attempts: 3,
    });
  });

  it('counts the successes that keep it closed', async () => {
    const { circuitBreaker } = breakerWith();

    for (let count = 0; count < 4; count += 1) await tryRetry(failing(), AT_ONCE, { circuitBreaker });
    await tryRetry(failing('one', 'two', 'three'), AT_ONCE, { circuitBreaker });

    expect(circuitBreaker.state).toBe('closed');
  });

  it('counts a failure whose retry has no room in its group', async () => {
    const { circuitBreaker } = breakerWith({ minimumThroughput: 1 });
    const group = createRetryGroup({ maxWaiting: 0 });

    const result = await tryRetry(alwaysFailing(), AT_ONCE, { circuitBreaker, group });

    expect(result).toMatchObject({ reason: 'group' });
    expect(circuitBreaker.state).toBe('open');
  });

  it('does not count an abort, and lets another probe go at once', async () => {
    const { circuitBreaker, clock } = await openBreaker();
    await clock.advance(1_000);
    const controller = new AbortController();
    const { signal } = controller;

    const aborted = tryRetry(() => new Promise(() => {}), AT_ONCE, { circuitBreaker, signal });
    controller.abort();

    expect(await aborted).toMatchObject({ reason: 'aborted' });
    expect(circuitBreaker.state).toBe('half-open');
    expect(await tryRetry(failing(), AT_ONCE, { circuitBreaker })).toMatchObject({ ok: true });
    expect(circuitBreaker.state).toBe('closed');
  });

  it('gives no probe to a call that was aborted before', async () => {
    const { circuitBreaker, clock } = await openBreaker();
    await clock.advance(1_000);

    await tryRetry(failing(), AT_ONCE, { circuitBreaker, signal: AbortSignal.abort() });

    expect(circuitBreaker.state).toBe('open');
  });

  it('frees the probe of a call that an observer aborts before its attempt', async () => {
    const { circuitBreaker, clock } = await openBreaker();
    await clock.advance(1_000);
    const controller = new AbortController();
    const onAttempt = (): void => controller.abort();

    await tryRetry(failing(), AT_ONCE, { circuitBreaker, signal: controller.signal, onAttempt });

    expect(await tryRetry(failing(), AT_ONCE, { circuitBreaker })).toMatchObject({ ok: true });
  });

  it('frees the probe when a gate throws', async () => {
    const { circuitBreaker, clock } = await openBreaker();
    await clock.advance(1_000);
    const bug = new Error('a bug');
    const retryIf = (): never => {
      throw bug;
    };
    const reportError = vi.fn();

    await tryRetry(alwaysFailing(), { ...AT_ONCE, retryIf }, { circuitBreaker, reportError });

    expect(reportError.mock.calls).toEqual([[bug]]);
    expect(await tryRetry(failing(), AT_ONCE, { circuitBreaker })).toMatchObject({ ok: true });
  });

  it('ignores attempts that began before it opened', async () => {
    const { circuitBreaker } = breakerWith();
    const { promise, resolve } = deferred();
    const early = tryRetry(() => promise, AT_ONCE, { circuitBreaker });
    await tryRetry(alwaysFailing(), AT_ONCE, { circuitBreaker });

    resolve('late');

    expect(await early).toMatchObject({ ok: true });
    expect(circuitBreaker.state).toBe('open');
  });
});

describe('a circuit breaker of fetch', () => {
  const respond = (status: number) => vi.fn(async () => new Response(null, { status }));

  it('opens by responses that are retried, returns the last of them, and sends no request then', async () => {
    const { circuitBreaker } = breakerWith();
    const send = respond(503);
    const load = createRetryFetch({ backoff: { type: 'none' } }, { circuitBreaker, fetch: send });

    const response = await load('http://example.test/');
    const error = await rejectionOf(load('http://example.test/'));

    expect(response.status).toBe(503);
    expect(error).toBeInstanceOf(CircuitOpenError);
    expect(send).toHaveBeenCalledTimes(3);
  });

  it('opens by requests that must not be repeated, too', async () => {
    const { circuitBreaker } = breakerWith({ minimumThroughput: 1 });
    const load = createRetryFetch({}, { circuitBreaker, fetch: respond(503) });

    await load('http://example.test/', { method: 'POST' });

    expect(circuitBreaker.state).toBe('open');
  });

  it('takes a response that is not retried for a success', async () => {
    const { circuitBreaker } = breakerWith({ minimumThroughput: 1 });
    const load = createRetryFetch({}, { circuitBreaker, fetch: respond(404) });

    await load('http://example.test/');

    expect(circuitBreaker.state).toBe('closed');
  });
});

describe('createCircuitBreaker', () => {
  it('notifies of each change of the state', async () => {
    const onStateChange = vi.fn();
    const { circuitBreaker, clock } = await openBreaker({ onStateChange });
    await clock.advance(1_000);
    await tryRetry(alwaysFailing(), AT_ONCE, { circuitBreaker });
    await clock.advance(1_000);
    await tryRetry(failing(), AT_ONCE, { circuitBreaker });

    expect(onStateChange.mock.calls).toEqual([
      [{ from: 'closed', to: 'open', until: 1_001_000 }],
      [{ from: 'open', to: 'half-open', until: 1_002_000 }],
      [{ from: 'half-open', to: 'open', until: 1_002_000 }],
      [{ from: 'open', to: 'half-open', until: 1_003_000 }],
      [{ from: 'half-open', to: 'closed' }],
    ]);
  });

  it('reports what the hook throws, and is not changed by it', async () => {
    const thrown = new Error('a bug');
    const reportError = vi.fn();
    const onStateChange = (): never => {
      throw thrown;
    };

    const { circuitBreaker } = await openBreaker({ onStateChange, reportError });

    expect(circuitBreaker.state).toBe('open');
    expect(reportError).toHaveBeenCalledExactlyOnceWith(thrown);
  });

  it.each<[string, () => Promise<string>, object]>([
    ['result', failing(), { ok: true, value: 'done' }],
    ['error', alwaysFailing('mine'), { ok: false, error: 'mine', reason: 'exhausted', attempts: 2 }],
  ])("changes no call's %s when its clock throws while an outcome is reported", async (_, fn, expected) => {
    const thrown = new Error('a bug');
    const reportError = vi.fn();
    let isBroken = false;
    const clock = {
      ...createFakeClock(),
      now: () => {
        if (isBroken) throw thrown;
        return 0;
      },
    };
    const circuitBreaker = createCircuitBreaker({ clock, reportError });
    const attempt = (): Promise<string> => {
      isBroken = true;
      return fn();
    };
    const beforeRetry = (): void => {
      isBroken = false;
    };

    const result = await tryRetry(attempt, { ...AT_ONCE, maxAttempts: 2 }, { circuitBreaker, beforeRetry });

    expect(result).toMatchObject(expected);
    expect(new Set(reportError.mock.calls.flat())).toEqual(new Set([thrown]));
  });

  it('while open keeps a budget from counting requests that are not made', async () => {
    const circuitBreaker = createCircuitBreaker({ minimumThroughput: 1, breakDuration: '1h' });
    circuitBreaker.permit().fail();
    const budget = createRetryBudget({ type: 'ratio', ratio: 1, minPerSecond: 0 });

    for (let count = 0; count < 5; count += 1) await tryRetry(() => 'done', {}, { budget, circuitBreaker });

    expect(budget.allowsRetry(new Error('down'))).toBe(false);
  });

  it('opens by permits that report as the handlers of a promise', async () => {
    const circuitBreaker = createCircuitBreaker({ minimumThroughput: 2 });

    for (let count = 0; count < 2; count += 1) {
      const permit = circuitBreaker.permit();
      await Promise.reject(new Error('down')).then(permit.succeed, permit.fail as () => boolean);
    }

    expect(circuitBreaker.state).toBe('open');
  });

  it('gives permits to code that does not use this package, of which the first report counts', () => {
    const { circuitBreaker } = breakerWith({ minimumThroughput: 1 });
    const permit = circuitBreaker.permit();

    permit.succeed();

    expect(permit.isProbe).toBe(false);
    expect(permit.fail()).toBe(true);
    expect(circuitBreaker.permit().fail()).toBe(false);
    expect(() => circuitBreaker.permit()).toThrow(CircuitOpenError);
  });

  it('has the defaults of Polly', async () => {
    const circuitBreaker = createCircuitBreaker();

    for (let count = 0; count < 99; count += 1) circuitBreaker.permit().fail();
    const before = circuitBreaker.state;
    circuitBreaker.permit().fail();

    expect([before, circuitBreaker.state]).toEqual(['closed', 'open']);
  });

  it.each<[string, unknown, string]>([
    ['a ratio of 0', { failureRatio: 0 }, 'failureRatio'],
    ['a key of another library', { halfOpenAfter: 5 }, 'halfOpenAfter'],
    ['a hook that is no function', { onStateChange: 'log' }, 'onStateChange'],
    ['a clock without timers', { clock: { now: Date.now } }, 'clock'],
    ['anything but an object', 'half', ''],
  ])('refuses %s', (_, options, path) => {
    expect(() => createCircuitBreaker(options as CircuitBreakerOptions)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', problems: [expect.objectContaining({ path })] }),
    );
  });

  it('is refused as an option unless it is one', () => {
    const circuitBreaker = { failureRatio: 0.5 } as unknown as CircuitBreaker;

    expect(() => withRetry(failing(), AT_ONCE, { circuitBreaker })).toThrow(InvalidOptionsError);
  });
});
