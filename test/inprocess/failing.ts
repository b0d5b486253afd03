import { type Mock, vi } from 'vitest';

/** A function that throws each of `errors` in turn, then gives `'done'`. */
export function failing(...errors: readonly unknown[]): Mock<() => Promise<string>> {
  let calls = 0;
  return vi.fn(async () => {
    calls += 1;
    if (calls <= errors.length) throw errors[calls - 1];
    return 'done';
  });
}

/** A function that throws the same value each time; `undefined` too, where that is given. */
export function alwaysFailing(...given: readonly unknown[]): Mock<() => Promise<string>> {
  const error = given.length === 0 ? new Error('boom') : given[0];
  return vi.fn(async () => {
    throw error;
  });
}

/** What the promise rejected with, `undefined` included; throws when it did not reject. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const [result] = await Promise.allSettled([promise]);
  if (result.status === 'fulfilled') throw new Error(`resolved with ${String(result.value)}`);
  return result.reason;
}

/** The calls of a hook, without what every event says about its call. */
export function detailsOf(hook: Mock): readonly unknown[] {
  return hook.mock.calls.map(
    ([{ id: _, name: _n, arguments: _a, elapsedMs: _e, attemptMs: _m, ...details }]) => [details],
  );
}
