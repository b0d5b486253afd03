import { afterAll, afterEach, expect, it, vi } from 'vitest';
import {
  createConnectionWarning,
  withoutThrowing,
} from '../../packages/redis-queue/src/driver/connection-warning.ts';
import { openRedisBroker } from '../support/redis-harness.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
afterEach(() => {
  warn.mockClear();
  vi.useRealTimers();
});
afterAll(() => warn.mockRestore());

describeOnPrivateRedis('a connection that breaks', () => {
  it('emits one process warning with its cause and cure when no onError is given', async () => {
    const server = await startPrivateRedis();
    const broker = await openRedisBroker({ url: server.url });

    await server.stop();
    await vi.waitFor(() => expect(warn).toHaveBeenCalled(), { timeout: 20_000 });
    await broker.close();

    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(/^the connection to Redis failed: .+/),
        {
          type: 'RetryWarning',
          code: 'RETRY_UNHANDLED_ERROR',
          detail: 'It reconnects by itself. Check the server, or pass an onError to createRedisBroker.',
        },
      ],
    ]);
  });

  it('is made again when onError throws or rejects, which is a process warning', async () => {
    const server = await startPrivateRedis();
    const onError = vi
      .fn(() => Promise.reject(new Error('async')))
      .mockImplementationOnce(() => {
        throw new Error('sync');
      });
    const broker = await openRedisBroker({ url: server.url, onError });

    await server.stop();
    await vi.waitFor(() => expect(onError.mock.calls.length).toBeGreaterThan(1), { timeout: 20_000 });
    await broker.close();

    expect(warn.mock.calls.slice(0, 2)).toMatchObject(
      ['sync', 'async'].map((text) => [
        'the onError of createRedisBroker threw',
        { code: 'RETRY_UNHANDLED_ERROR', detail: expect.stringContaining(text) },
      ]),
    );
  });

  it('emits no process warning when onError is given', async () => {
    const server = await startPrivateRedis();
    const onError = vi.fn();
    const broker = await openRedisBroker({ url: server.url, onError });

    await server.stop();
    await vi.waitFor(() => expect(onError).toHaveBeenCalled(), { timeout: 20_000 });
    await broker.close();

    expect(warn).not.toHaveBeenCalled();
  });
});

it('warns again after a minute where the clock of the machine was set back', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const onError = createConnectionWarning();
  onError(new Error('first'));
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(60_000);

  onError(new Error('second'));

  expect(warn).toHaveBeenCalledTimes(2);
});

it('warns at most once a minute, and shows the first of the errors of several addresses', () => {
  const now = vi.fn(() => 0);
  const warnOf = createConnectionWarning(now);

  warnOf(new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:1'), new Error('x')]));
  now.mockReturnValue(59_999);
  warnOf(new Error('second'));
  now.mockReturnValue(60_000);
  warnOf('third');

  expect(warn.mock.calls.map(([message]) => message)).toEqual([
    'the connection to Redis failed: connect ECONNREFUSED 127.0.0.1:1',
    'the connection to Redis failed: third',
  ]);
});

it.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
  ['rejects', () => Promise.reject(new Error('broken'))],
])('warns at most once a minute of an onError that %s', async (_, broken) => {
  const now = vi.fn(() => 0);
  const onError = withoutThrowing(broken, now);
  const errorAt = async (at: number): Promise<void> => {
    now.mockReturnValue(at);
    onError(new Error('connect ECONNREFUSED'));
    await new Promise((resolve) => setImmediate(resolve));
  };

  for (const at of [0, 1, 59_999]) await errorAt(at);
  const warnedIn1st = warn.mock.calls.length;
  for (const at of [60_000, 60_001]) await errorAt(at);

  expect(warnedIn1st).toBe(1);
  expect(warn.mock.calls.map(([message]) => message)).toEqual(
    Array(2).fill('the onError of createRedisBroker threw'),
  );
});
