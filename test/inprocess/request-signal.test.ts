import { getEventListeners } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { retry, tryRetry } from '@retry/inprocess';
import { createRetryFetch } from '@retry/inprocess/fetch';
import { guardNestedRetries } from '@retry/inprocess/node';
import { createTestClock } from '@retry/inprocess/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collect } from '../support/old-bytes.ts';

const ONCE = { maxAttempts: 1 } as const;
const LIMITED = { ...ONCE, attemptTimeout: '1m' } as const;

let controller: AbortController;
let sent: AbortSignal[];

beforeEach(() => {
  controller = new AbortController();
  sent = [];
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Answers immediately, and records the signal of the request. */
async function fetch(_input: unknown, init?: RequestInit): Promise<Response> {
  if (init?.signal) sent.push(init.signal);
  return new Response('ok');
}

/** A separate function, so that no variable keeps a response. */
async function readMany(): Promise<void> {
  const retrying = createRetryFetch(LIMITED, { fetch });
  for (let count = 0; count < 100; count += 1) {
    const response = await retrying('http://localhost/', { signal: controller.signal });
    await response.text();
  }
}

const listeners = (): number => getEventListeners(controller.signal, 'abort').length;

describe('the signal of a request', () => {
  it('is the caller’s own if nothing else can abort the attempt', async () => {
    await createRetryFetch(ONCE, { fetch })('http://localhost/', { signal: controller.signal });

    expect(sent).toEqual([controller.signal]);
    expect(sent[0]).toBe(controller.signal);
  });

  it('is the attempt’s own without a caller’s', async () => {
    const add = vi.spyOn(AbortSignal.prototype, 'addEventListener');

    await createRetryFetch(LIMITED, { fetch })('http://localhost/');

    expect(sent).toHaveLength(1);
    expect(add).not.toHaveBeenCalled();
  });

  it.each([
    ['a limit', LIMITED, () => () => {}],
    ['a guard against nested retries', ONCE, guardNestedRetries],
  ])('aborts with the caller, also after the attempt, under %s', async (_name, policy, install) => {
    const uninstall = install();
    const any = vi.spyOn(AbortSignal, 'any');

    const response = await createRetryFetch(policy, { fetch })('http://localhost/', {
      signal: controller.signal,
    });
    uninstall();
    expect(sent[0]).not.toBe(controller.signal);
    controller.abort('enough');

    expect(sent[0]?.reason).toBe('enough');
    expect(any).not.toHaveBeenCalled();
    expect(response.bodyUsed).toBe(false);
  });

  it('removes its listener from the caller’s immediately when the request fails, or its response has no body', async () => {
    const fetches = [async () => new Response(null), () => Promise.reject(new TypeError('failed'))];

    for (const each of fetches) {
      const retrying = createRetryFetch(LIMITED, { fetch: each });
      await Promise.allSettled([retrying('http://localhost/', { signal: controller.signal })]);
    }
    await setImmediate();

    expect(listeners()).toBe(0);
  });

  it('removes its listener from the caller’s once the body can no longer be read', async () => {
    await readMany();
    expect(listeners()).toBe(1);
    // The engine may hold what it was given last.
    await createRetryFetch(LIMITED, { fetch })('http://localhost/');

    await vi.waitFor(async () => {
      collect();
      await setTimeout(1);
      expect(listeners()).toBe(0);
    }, 10_000);
  });
});

describe('the body of a response, in an attempt of another call under a guard against nested retries', () => {
  const NEVER = new Promise<never>(() => {});
  let unguard: () => void;

  beforeEach(() => {
    unguard = guardNestedRetries();
  });

  afterEach(() => unguard());

  it.each([
    ['alone', () => ({})],
    ['and that of the request', () => ({ signal: new AbortController().signal })],
  ])('ends with the signal of that attempt, %s', async (_name, init) => {
    const inner = createRetryFetch(ONCE, { fetch });

    const result = tryRetry(() => inner('http://localhost/', init()).then(() => NEVER), ONCE, {
      signal: controller.signal,
    });
    await setTimeout(1);
    controller.abort('enough');

    expect(await result).toMatchObject({ error: 'enough' });
    expect(sent).toMatchObject([{ aborted: true, reason: 'enough' }]);
  });

  it('has no limit by that attempt once it has ended', async () => {
    const clock = createTestClock();
    const inner = createRetryFetch(ONCE, { fetch, clock });

    const response = await retry(() => inner('http://localhost/'), LIMITED, { clock });
    await clock.advance('1h');

    expect(await response.text()).toBe('ok');
    expect(sent).toMatchObject([{ aborted: false }]);
  });
});

it('is none if the caller removes that of its Request', async () => {
  const request = new Request('http://localhost/', { signal: AbortSignal.abort() });

  const response = await createRetryFetch(ONCE, { fetch })(request, { signal: null });

  expect(await response.text()).toBe('ok');
});

it('ends with the time of a body where the runtime has neither registries nor weak references', async () => {
  new Headers(); // for which Node loads a library of its own that needs registries
  vi.stubGlobal('FinalizationRegistry', undefined);
  vi.stubGlobal('WeakRef', undefined);
  vi.resetModules();
  const { createRetryFetch: create } = await import('../../packages/inprocess/src/fetch/index.ts');
  const clock = createTestClock();
  const policy = { ...ONCE, totalTimeout: '1m' } as const;

  const response = await create(policy, { fetch, clock })('http://localhost/', { signal: controller.signal });
  const [request] = sent;
  await clock.advance('2m');

  expect(request?.aborted).toBe(true);
  await expect(response.text()).rejects.toMatchObject({ code: 'TOTAL_TIMEOUT' });
});
