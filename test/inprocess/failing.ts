import { type Mock, vi } from 'vitest';

/** Creates a function that throws each of `errors` in turn, then returns `'done'`. */
export function failing(...errors: readonly unknown[]): Mock<() => Promise<string>> {
  let calls = 0;
  return vi.fn(async () => {
    calls += 1;
    if (calls <= errors.length) throw errors[calls - 1];
    return 'done';
  });
}

/** Creates a function that always throws the same value, also `undefined`. */
export function alwaysFailing(...given: readonly unknown[]): Mock<() => Promise<string>> {
  const error = given.length === 0 ? new Error('boom') : given[0];
  return vi.fn(async () => {
    throw error;
  });
}

/** Returns the rejection of a promise, also `undefined`; throws if it did not reject. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const [result] = await Promise.allSettled([promise]);
  if (result.status === 'fulfilled') throw new Error(`resolved with ${String(result.value)}`);
  return result.reason;
}

/** Returns the events of a hook, without the fields that every event has. */
export function detailsOf(hook: Mock): readonly unknown[] {
  return hook.mock.calls.map(
    ([{ id: _, name: _n, arguments: _a, elapsedMs: _e, attemptMs: _m, ...details }]) => [details],
  );
}
