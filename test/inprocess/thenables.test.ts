import vm from 'node:vm';
import { retry, withRetry } from '@retry/inprocess';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

/** What is awaited, but is not a promise of this realm: each settles late, or never. */
const LATE: Readonly<Record<string, () => PromiseLike<string>>> = {
  // biome-ignore lint/suspicious/noThenProperty: a thenable is what this is about.
  'a thenable that never settles': () => ({ then: () => new Promise<never>(() => {}) }),
  // biome-ignore lint/suspicious/noThenProperty: the same.
  'a function with a then': () => Object.assign(() => {}, { then: () => new Promise<never>(() => {}) }),
  'a promise of another realm': vm.runInNewContext('() => new Promise(() => {})'),
  'a builder that asks when it is awaited': () => ({
    // biome-ignore lint/suspicious/noThenProperty: as query builders have it.
    then: (resolve, reject) =>
      new Promise<string>((done) => setTimeout(done, 60_000, 'rows')).then(resolve, reject),
  }),
};

describe.each(Object.entries(LATE))('a function that returns %s', (_, fn) => {
  it('is cut off by its attempt timeout, and called again', async () => {
    const clock = createFakeClock();
    let calls = 0;
    const call = retry(
      () => {
        calls += 1;
        return calls < 3 ? fn() : 'done';
      },
      { maxAttempts: 3, attemptTimeout: 50, backoff: { type: 'none' } },
      { clock },
    );
    await clock.advance(100);

    expect(await call).toBe('done');
  });

  it('is cut off by the total timeout', async () => {
    const clock = createFakeClock();
    const error = rejectionOf(retry(fn, { totalTimeout: 50 }, { clock }));
    await clock.advance(50);

    expect(await error).toMatchObject({ code: 'TOTAL_TIMEOUT' });
  });

  it('is cut off by the signal', async () => {
    const controller = new AbortController();
    const errors = [withRetry(fn, {}, { signal: controller.signal })()].map(rejectionOf);
    controller.abort('stop');

    expect(await Promise.all(errors)).toEqual(['stop']);
  });

  it('is cut off in beforeRetry', async () => {
    const clock = createFakeClock();
    const policy = { totalTimeout: 50, backoff: { type: 'none' } } as const;
    const failing = (): never => {
      throw new Error('busy');
    };
    const error = rejectionOf(retry(failing, policy, { clock, beforeRetry: fn }));
    await clock.advance(50);

    expect(await error).toMatchObject({ message: 'busy' });
  });
});

it('a thenable whose then throws fails the attempt', async () => {
  const hostile = Object.defineProperty({}, 'then', {
    get: () => {
      throw new Error('no then');
    },
  });

  expect(await rejectionOf(retry(() => hostile, { maxAttempts: 1, attemptTimeout: 50 }))).toMatchObject({
    message: 'no then',
  });
});
