import { channel } from 'node:diagnostics_channel';
import { createWorker, defineTask } from '@retry/worker';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setScene } from './scene.ts';

const task = defineTask({ name: 'any', run: () => {} });

/** A broker error as drivers throw it. */
const refused = (): Error => Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' });

/** An object that throws whatever is asked of it. */
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe('an error event without a listener', () => {
  const warnings = vi.spyOn(process, 'emitWarning');
  beforeEach(() => void warnings.mockReset().mockImplementation(() => {}));
  afterEach(() => void warnings.mockReset());
  afterAll(() => warnings.mockRestore());

  const failing = () => {
    const scene = setScene();
    const exchange = () => Promise.reject(refused());
    return { ...scene, broken: { ...scene.broker, exchange } };
  };

  it('is one process warning a minute, with code, cause and cure', async () => {
    const { clock, broken } = failing();
    const worker = createWorker({ broker: broken, clock, tasks: [task], signals: [] });
    worker.start();

    await clock.advance('59s');
    expect(warnings).toHaveBeenCalledTimes(1);
    await clock.advance('60s');
    expect(warnings).toHaveBeenCalledTimes(2);

    const [message, details] = warnings.mock.calls[0] ?? [];
    expect(message).toBe('retry worker: settling and claiming: Error [ECONNREFUSED]: connect refused');
    expect(details).toMatchObject({ type: 'RetryWarning', code: 'RETRY_UNHANDLED_ERROR' });
    expect(details).toMatchObject({ detail: expect.stringContaining("worker.on('error'") });
    const stopped = worker.stop();
    await clock.advance('1m');
    await stopped;
  });

  it.each<[string, unknown, string]>([
    [
      'an AggregateError without a message, as of a host whose every address refuses',
      Object.assign(new AggregateError([new Error('refused by ::1'), new Error('refused by 127.0.0.1')]), {
        code: 'ECONNREFUSED',
      }),
      'AggregateError [ECONNREFUSED]: refused by ::1; refused by 127.0.0.1',
    ],
    [
      'an error that has the name of its class alone, as of node-redis',
      new (class CommandTimeoutError extends Error {})(),
      'CommandTimeoutError: it has no message',
    ],
    [
      'an error of which its cause says more',
      new Error('', { cause: new Error('no route') }),
      'Error: no route',
    ],
    ['an error that cannot be read', revoked(), 'object: an error that cannot be read'],
  ])('describes %s', async (_name, error, line) => {
    const { clock, broker } = setScene();
    const broken = { ...broker, exchange: () => Promise.reject(error) };
    const worker = createWorker({ broker: broken, clock, tasks: [task], signals: [] });
    worker.start();

    await clock.advance('1s');
    const stopped = worker.stop();
    await clock.advance('1m');
    await stopped;

    expect(warnings.mock.calls[0]?.[0]).toBe(`retry worker: settling and claiming: ${line}`);
  });

  it('is no warning with a listener or a diagnostics channel, and is one when the listener is removed', async () => {
    const { clock, broken } = failing();
    const worker = createWorker({ broker: broken, clock, tasks: [task], signals: [] });
    const forget = worker.on('error', () => {});
    worker.start();
    await clock.advance('2m');
    expect(warnings).not.toHaveBeenCalled();

    const subscriber = (): void => {};
    channel('retry:worker:error').subscribe(subscriber);
    forget();
    await clock.advance('2m');
    expect(warnings).not.toHaveBeenCalled();

    channel('retry:worker:error').unsubscribe(subscriber);
    await clock.advance('30s');
    expect(warnings).toHaveBeenCalledTimes(1);
    const stopped = worker.stop();
    await clock.advance('1m');
    await stopped;
  });

  it('shows no password of a URL that a driver put into its message', async () => {
    const { clock, broken } = failing();
    const exchange = () => Promise.reject(new Error('no answer of redis://app:s3cr3t@host:6379'));
    const worker = createWorker({
      broker: { ...broken, exchange },
      clock,
      tasks: [task],
      signals: [],
    });
    worker.start();

    await clock.advance('1s');

    expect(warnings.mock.calls[0]?.[0]).toBe(
      'retry worker: settling and claiming: Error: no answer of redis://***@host:6379',
    );
    const stopped = worker.stop();
    await clock.advance('1m');
    await stopped;
  });
});
