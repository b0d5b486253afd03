/** What must hold in every runtime, with nothing but the language and the web's own globals. */
import { definePolicy, matchesError } from '@retry/core';
import { network } from '@retry/core/errors';
import { simulate } from '@retry/core/simulate';
import { createRetryGroup, retry, retryInfo, retryIterable, tryRetry, withRetry } from '@retry/inprocess';
import { createRetryFetch } from '@retry/inprocess/fetch';
import { createTestClock, seededRandom } from '@retry/inprocess/testing';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;
const EVERY_HOUR = { maxAttempts: 3, backoff: { type: 'constant', base: '1h' }, jitter: 'none' } as const;

const checks: Readonly<Record<string, () => Promise<boolean>>> = {
  'retries and gives the value': async () =>
    (await retry(({ isLast }) => (isLast ? 'done' : Promise.reject('busy')), AT_ONCE)) === 'done',
  'waits by the runtime’s own timers': async () => {
    const startedAt = performance.now();
    await tryRetry(fail, { maxAttempts: 2, backoff: { type: 'constant', base: 30 }, jitter: 'none' });
    return performance.now() - startedAt >= 29;
  },
  'rejects with the last error and knows about it': async () => {
    const error = await withRetry(fail, AT_ONCE)().catch((thrown: unknown) => thrown);
    return retryInfo(error)?.attempts === 3;
  },
  'ends a wait by an abort': async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort('enough'), 5);
    return (
      (await retry(fail, EVERY_HOUR, { signal: controller.signal }).catch((reason: unknown) => reason)) ===
      'enough'
    );
  },
  'is aborted by a timer in a loop without delay': async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort('enough'), 5);
    const forever = { ...AT_ONCE, maxAttempts: Infinity };
    return (
      (await retry(fail, forever, { signal: controller.signal }).catch((reason: unknown) => reason)) ===
      'enough'
    );
  },
  'cuts off an attempt': async () =>
    (await tryRetry(() => new Promise(() => {}), { maxAttempts: 1, attemptTimeout: 20 })).ok === false,
  'names its calls': async () => (await retry(({ id }) => id, AT_ONCE)).length >= 32,
  'drains a group': async () => {
    const group = createRetryGroup();
    const result = tryRetry(fail, EVERY_HOUR, { group });
    while (group.waiting().length === 0) await Promise.resolve();
    await group.drain();
    return (await result).ok === false;
  },
  'retries an iterable': async () => {
    const items: number[] = [];
    for await (const item of retryIterable(numbers, AT_ONCE)) items.push(item);
    return items.join() === '1,2';
  },
  'passes hours on a virtual clock': async () => {
    const clock = createTestClock();
    const result = tryRetry(fail, EVERY_HOUR, { clock, random: seededRandom(1) });
    await clock.advance('2h');
    return (await result).attempts === 3;
  },
  'lets the caller abort a fetch that has a limit': async () => {
    const controller = new AbortController();
    const fetch = (_input: unknown, init: RequestInit = {}): Promise<Response> =>
      new Promise((_resolve, reject) =>
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
      );
    const result = createRetryFetch({ ...AT_ONCE, attemptTimeout: '1h' }, { fetch })('http://localhost/', {
      signal: controller.signal,
    });
    controller.abort('enough');
    return (await result.catch((reason: unknown) => reason)) === 'enough';
  },
  'simulates the same storm to the last digit': async () => {
    const policy = definePolicy({
      maxAttempts: Infinity,
      backoff: { type: 'exponential', base: 10 },
      maxDelay: '2s',
    });
    const world = {
      traffic: { type: 'closed', clients: 10, calls: 3, pause: 20 },
      server: { type: 'optimistic-lock' },
      network: { type: 'normal', mean: 10, deviation: 2 },
    } as const;
    return simulate(policy, world).lastEndMs.median === 1_347.565515271956;
  },
  'retries fetch': async () => {
    let calls = 0;
    const fetch = async (): Promise<Response> => {
      calls += 1;
      return new Response('ok', { status: calls < 3 ? 503 : 200 });
    };
    return (await createRetryFetch(AT_ONCE, { fetch })('http://localhost/')).status === 200;
  },
  'recognises the failed connection of its own fetch': async () => {
    const error: unknown = await fetch('http://127.0.0.1:59999/').catch((thrown: unknown) => thrown);
    return network.some((matcher) => matchesError(matcher, error));
  },
};

/** Runs every check; gives the names of those that failed. */
export async function smoke(): Promise<{ readonly passed: number; readonly failed: readonly string[] }> {
  const failed: string[] = [];
  for (const [name, check] of Object.entries(checks)) {
    const isOk = await check().catch(() => false);
    if (!isOk) failed.push(name);
  }
  return { passed: Object.keys(checks).length - failed.length, failed };
}

async function fail(): Promise<never> {
  throw new Error('boom');
}

async function* numbers({ attempt }: { readonly attempt: number }): AsyncGenerator<number> {
  if (attempt < 3) throw new Error('boom');
  yield* [1, 2];
}
