import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';

const MINUTE_MS = 60_000;

describe('a worker under the fake timers of a test runner', () => {
  it.each<[string, () => void, (ms: number) => void, () => void]>([
    [
      'node:test',
      () => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 }),
      (ms) => mock.timers.tick(ms),
      () => mock.timers.reset(),
    ],
    [
      'vitest',
      () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }),
      (ms) => void vi.advanceTimersByTime(ms),
      () => vi.useRealTimers(),
    ],
  ])('retries by the fake date: %s', async (_name, enable, advance, reset) => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue(); // Node says once that timers of node:test are experimental
    enable();
    try {
      const broker = createMemoryBroker();
      const queue = createQueue({ broker });
      const hourly = defineTask({
        name: 'hourly',
        retry: { backoff: { type: 'constant', base: '1h' }, jitter: 'none', totalTimeout: '150m' },
        run: () => Promise.reject(new Error('down')),
      });
      const { id } = await queue.submit(hourly, null);
      const worker = createWorker({ broker, tasks: [hourly], signals: [] });
      worker.start();
      for (let minute = 0; minute < 4 * 60; minute += 1) {
        for (let turn = 0; turn < 5; turn += 1) await setImmediate();
        advance(MINUTE_MS);
      }
      const stopped = worker.stop();
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      advance(MINUTE_MS);
      await stopped;

      expect(await queue.get(id)).toMatchObject({ state: 'failed', failures: 3 });
      for (const [warning] of warn.mock.calls) expect(warning).toContain('MockTimers');
    } finally {
      reset();
      warn.mockRestore();
    }
  });
});
