import { type RetryEvent, retry, withRetry } from '@retry/inprocess';
import { beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { alwaysFailing, failing, rejectionOf } from './failing.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

const EVERY_100_MS = { maxAttempts: 2, backoff: { type: 'constant', base: 100 }, jitter: 'none' } as const;

let clock: FakeClock;

beforeEach(() => {
  clock = createFakeClock();
});

describe('events', () => {
  it('of concurrent calls have different ids, those of one call the same', async () => {
    const ids = new Map<string, number>();
    const note = ({ id }: { readonly id: string }): void => void ids.set(id, (ids.get(id) ?? 0) + 1);
    const hooks = { onAttempt: note, onRetry: note, beforeRetry: note, onGiveUp: note };
    const load = withRetry(alwaysFailing(), { maxAttempts: 2, backoff: { type: 'none' } }, hooks);

    await Promise.all(Array.from({ length: 8 }, () => rejectionOf(load())));

    expect([...ids.values()]).toEqual(Array(8).fill(5));
  });

  it('have the name of the function, and the arguments of the call', async () => {
    const hooks = { onAttempt: vi.fn(), onRetry: vi.fn(), beforeRetry: vi.fn(), onGiveUp: vi.fn() };
    async function loadUser(_id: string): Promise<never> {
      throw new Error('boom');
    }

    await rejectionOf(withRetry(loadUser, { maxAttempts: 2, backoff: { type: 'none' } }, hooks)('42'));

    for (const hook of Object.values(hooks)) {
      expect(hook.mock.calls[0]?.[0]).toMatchObject({ name: 'loadUser', arguments: ['42'] });
    }
  });

  it('have no arguments when the function takes a context', async () => {
    const onGiveUp = vi.fn();

    await rejectionOf(retry(alwaysFailing(), { maxAttempts: 1 }, { onGiveUp: onGiveUp }));

    expect(onGiveUp.mock.calls[0]?.[0].arguments).toEqual([]);
  });

  it('have the times of the call and of its latest attempt', async () => {
    const hooks = { onAttempt: vi.fn(), onRetry: vi.fn(), beforeRetry: vi.fn(), onGiveUp: vi.fn() };
    const slow = (): Promise<never> =>
      new Promise((_resolve, reject) => void clock.setTimer(() => reject('boom'), 30));

    const result = rejectionOf(withRetry(slow, EVERY_100_MS, { clock, ...hooks })());
    await clock.advance(1_000);
    await result;

    const times = Object.values(hooks).map((hook) =>
      hook.mock.calls.map(([{ elapsedMs, attemptMs }]) => [elapsedMs, attemptMs]),
    );
    expect(times).toEqual([
      [
        [0, 0],
        [130, 30],
      ],
      [[30, 30]],
      [[130, 30]],
      [[160, 30]],
    ]);
  });

  it('of an abort have the time of the interrupted attempt', async () => {
    const controller = new AbortController();
    const onGiveUp = vi.fn();

    const options = { clock, onGiveUp, signal: controller.signal };
    const result = rejectionOf(withRetry(() => new Promise(() => {}), EVERY_100_MS, options)());
    await clock.advance(70);
    controller.abort();
    await result;

    expect(onGiveUp.mock.calls[0]?.[0]).toMatchObject({ elapsedMs: 70, attemptMs: 70 });
  });

  it('change no delay: a hook that does not read the id draws no random number', async () => {
    const draws = [0.1, 0.9, 0.5, 0.7];
    const delaysWith = async (hooks: object): Promise<readonly number[]> => {
      const left = [...draws];
      const delays: number[] = [];
      const time = {
        ...createFakeClock(),
        setTimer: (callback: () => void, ms: number) => {
          delays.push(ms);
          callback();
          return () => {};
        },
      };
      const options = { clock: time, random: () => left.shift() ?? 0, ...hooks };
      await retry(
        failing('1', '2', '3'),
        { maxAttempts: 4, backoff: { type: 'constant', base: 100 } },
        options,
      );
      return delays;
    };
    const hook = ({ attempt }: Pick<RetryEvent, 'attempt'>): number => attempt;

    const watched = await delaysWith({ onAttempt: hook, onRetry: hook, beforeRetry: hook, onGiveUp: hook });

    expect(watched).toEqual(await delaysWith({}));
  });
});

describe('the option name', () => {
  it('is the name in events and of the wrapped function', async () => {
    const onGiveUp = vi.fn();

    const load = withRetry(
      async () => Promise.reject('boom'),
      { maxAttempts: 1 },
      { name: 'load users', onGiveUp: onGiveUp },
    );
    await rejectionOf(load());

    expect(load.name).toBe('load users');
    expect(onGiveUp.mock.calls[0]?.[0].name).toBe('load users');
  });
});

it('has the parameters of the wrapped function as the type of its arguments', async () => {
  const seen: string[] = [];
  const load = withRetry(
    async (id: string, _page?: number): Promise<string> => id,
    {},
    {
      onAttempt: ({ arguments: [id, page] }) => {
        expectTypeOf(page).toEqualTypeOf<number | undefined>();
        seen.push(id.toUpperCase());
      },
    },
  );

  await load('a');

  expect(seen).toEqual(['A']);
});
