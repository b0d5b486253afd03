import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { RetryGroup } from '@retry/inprocess';
import { createRetryGroup, tryRetry, withRetry } from '@retry/inprocess';
import type { AttemptingCall } from '@retry/inprocess/node';
import { publishDiagnostics } from '@retry/inprocess/node';
import { createTestClock, seededRandom } from '@retry/inprocess/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { alwaysFailing } from './failing.ts';

const CHANNELS = ['retry:attempt', 'retry:retry', 'retry:give-up', 'retry:nested'];
const AT_ONCE = { maxAttempts: 2, backoff: { type: 'none' } } as const;

const messages: (readonly [unknown, unknown])[] = [];
const listen = (message: unknown, name: string | symbol): void => void messages.push([name, message]);

afterEach(() => {
  for (const name of CHANNELS) unsubscribe(name, listen);
  messages.length = 0;
});

describe('publishDiagnostics', () => {
  it('publishes the events of the hooks, with the id and the name', async () => {
    for (const name of CHANNELS) subscribe(name, listen);
    const stop = publishDiagnostics();
    async function load(_id: string): Promise<never> {
      throw 'boom';
    }

    await withRetry(load, AT_ONCE)('7').catch(() => undefined);
    stop();

    const times = { elapsedMs: expect.any(Number), attemptMs: expect.any(Number) };
    const about = { id: expect.any(String), name: 'load', arguments: ['7'], ...times };
    expect(messages).toEqual([
      ['retry:attempt', { ...about, attempt: 1 }],
      ['retry:retry', { ...about, attempt: 1, error: 'boom', delayMs: 0 }],
      ['retry:attempt', { ...about, attempt: 2 }],
      ['retry:give-up', { ...about, attempt: 2, error: 'boom', reason: 'exhausted' }],
    ]);
    expect(new Set(messages.map(([, message]) => (message as { id: string }).id)).size).toBe(1);
  });

  it.each([
    ['drains its group', (group: RetryGroup) => void group.drain()],
    ['aborts its signal', (_: RetryGroup, controller: AbortController) => controller.abort()],
  ])('publishes a retry before its end by a hook that %s', async (_, end) => {
    for (const name of CHANNELS) subscribe(name, listen);
    const stop = publishDiagnostics();
    const group = createRetryGroup();
    const controller = new AbortController();

    await tryRetry(alwaysFailing(), AT_ONCE, {
      group,
      signal: controller.signal,
      onRetry: () => end(group, controller),
    });
    stop();

    expect(messages.map(([name]) => name)).toEqual(['retry:attempt', 'retry:retry', 'retry:give-up']);
  });

  it('changes no delay that is drawn by the caller', async () => {
    const policy = { maxAttempts: 4, backoff: { type: 'constant', base: 100 } } as const;
    const delaysOf = async (): Promise<readonly unknown[]> => {
      const options = { clock: createTestClock(), random: seededRandom(7) };
      const result = tryRetry(alwaysFailing(), policy, options);
      await options.clock.advance('1m');
      return (await result).history.map(({ delayMs }) => delayMs);
    };
    const alone = await delaysOf();

    for (const name of CHANNELS) subscribe(name, listen);
    const stop = publishDiagnostics();
    const observed = await delaysOf();
    stop();

    expect(observed).toEqual(alone);
    expect(messages).not.toEqual([]);
  });

  it('is ended by the last of those who asked for it', async () => {
    subscribe('retry:give-up', listen);
    const [one, other] = [publishDiagnostics(), publishDiagnostics()];
    other();
    other();

    await tryRetry(alwaysFailing(), AT_ONCE);
    one();
    await tryRetry(alwaysFailing(), AT_ONCE);

    expect(messages).toHaveLength(1);
  });

  it('publishes each attempt before its function is called, which a subscriber may wrap', async () => {
    const seen: string[] = [];
    let given: readonly unknown[] | undefined;
    const wrap = (message: unknown): void => {
      const attempting = message as AttemptingCall; // as the channel has it
      const { attempt, name, call } = attempting;
      given ??= attempting.arguments;
      attempting.call = async () => {
        seen.push(`${name} ${attempt} begins, ${attempting.arguments === given}`);
        await Promise.resolve(call()).catch(() => {});
        return `wrapped ${attempt}`;
      };
    };
    subscribe('retry:attempting', wrap);
    const stop = publishDiagnostics();
    async function load(id: string): Promise<string> {
      seen.push(`load(${id})`);
      return id;
    }

    const result = await withRetry(load, AT_ONCE, {
      retryIfResult: (returned) => returned === 'wrapped 1',
    })('7');
    unsubscribe('retry:attempting', wrap);
    stop();

    expect(result).toBe('wrapped 2');
    expect(seen).toEqual(['load 1 begins, true', 'load(7)', 'load 2 begins, true', 'load(7)']);
  });

  it('publishes nothing after it has been ended', async () => {
    for (const name of CHANNELS) subscribe(name, listen);
    publishDiagnostics()();

    await tryRetry(alwaysFailing(), AT_ONCE);

    expect(messages).toEqual([]);
  });
});
