import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';

/** What a broken clock does instead of returning its instant. */
const ODD = fc.oneof(
  fc.constant(() => {
    throw new Error('broken clock');
  }),
  fc.constantFrom(Number.NaN, Infinity, undefined, null, 'now', {}, 3n).map((value) => () => value),
);

beforeEach(() => {
  vi.spyOn(process, 'emitWarning').mockReturnValue();
  vi.spyOn(console, 'error').mockReturnValue(); // where the memory broker reports what its clock throws
});

afterEach(() => {
  vi.restoreAllMocks();
});

// In this order: there is one warning a minute.
describe('a clock that throws or returns no number', { shuffle: false }, () => {
  it('is a process warning, one a minute at most', async () => {
    const clock = {
      ...createTestClock(),
      now: () => {
        throw new Error('broken clock');
      },
    };
    const queue = createQueue({ broker: createMemoryBroker(), clock });
    const task = defineTask({ name: 'any', run: () => undefined });

    for (let count = 0; count < 3; count += 1) {
      const { id } = await queue.submit(task, null);
      expect(await queue.fail(id, new Error('by hand'))).toBe('done');
    }

    expect(process.emitWarning).toHaveBeenCalledTimes(1);
    expect(process.emitWarning).toHaveBeenCalledWith(
      expect.stringContaining('broken clock'),
      expect.objectContaining({ code: 'RETRY_UNHANDLED_ERROR' }),
    );
  });

  it('costs a worker no run, and no attempt', async () => {
    await fc.assert(
      fc.asyncProperty(ODD, fc.infiniteStream(fc.boolean()), async (odd, pattern) => {
        const good = createTestClock();
        /** One that breaks after its first reading. */
        const fragile = () => {
          let isRead = false;
          const now = () => {
            const isGood = !isRead || pattern.next().value === true;
            isRead = true;
            return (isGood ? good.now() : odd()) as number;
          };
          return { ...good, now };
        };
        const broker = createMemoryBroker({ clock: fragile() });
        const queue = createQueue({ broker, clock: fragile() });
        const task = defineTask({
          name: 'flaky',
          retry: { maxAttempts: 3, backoff: { type: 'constant', base: '1s' }, jitter: 'none' },
          run: (_: null, { attempt }) => (attempt < 3 ? Promise.reject(new Error('no')) : attempt),
        });
        const { id } = await queue.submit(task, null);
        const worker = createWorker({ broker, tasks: [task], clock: fragile(), signals: [] });
        worker.start();
        await good.advance('1m');
        const stopped = worker.stop();
        await good.advance('1m');
        await stopped;

        expect(await queue.get(id)).toMatchObject({ state: 'completed', result: 3, failures: 2 });
        expect(await queue.counts()).toMatchObject({ unbalanced: 0 });
      }),
      { numRuns: propertyRuns(1 / 4) },
    );
  });
});
