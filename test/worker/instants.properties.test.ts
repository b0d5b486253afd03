import { RetryAfterError } from '@retry/core';
import type { Broker, Settlement } from '@retry/core/broker';
import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const LAST_INSTANT_AT = 8_640_000_000_000_000;

/** Any number there is, whole ones, and those around the limits. */
const anyNumber = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(
    0,
    -0,
    5e-324,
    1e300,
    Number.MAX_VALUE,
    Infinity,
    -Infinity,
    Number.NaN,
    LAST_INSTANT_AT,
    2 ** 53,
  ),
);
const anyDelay = fc.double({ min: 0, max: Number.MAX_VALUE, noNaN: true });

/** How an attempt may ask for its next one. */
const request = fc.oneof(
  fc.record({ type: fc.constant('delay' as const), value: anyNumber }),
  fc.record({ type: fc.constant('at' as const), value: anyNumber }),
  fc.record({ type: fc.constant('server' as const), value: anyDelay }),
  fc.record({ type: fc.constant('backoff' as const), value: anyDelay }),
);

describe('a settlement that schedules', () => {
  it('has an instant and a delay that every broker can store, whatever was requested, or the attempt fails', async () => {
    await fc.assert(
      fc.asyncProperty(request, fc.integer({ min: 0, max: LAST_INSTANT_AT / 2 }), async (asked, startAt) => {
        const { clock, broker, queue, startWorker } = setScene(startAt);
        const settled: Settlement[] = [];
        const exchange: Broker['exchange'] = (sent) => {
          settled.push(...(sent.settle ?? []));
          return broker.exchange(sent);
        };
        const base = asked.type === 'backoff' ? asked.value : 1_000;
        const task = defineTask({
          name: 'asking',
          retry: {
            backoff: { type: 'constant', base },
            maxDelay: 'Infinity',
            jitter: 'none',
            retryAfter: { max: 'Infinity' },
          },
          run: (_: null, { retry }) => {
            if (asked.type === 'delay') retry({ delay: asked.value });
            if (asked.type === 'at') retry({ at: asked.value });
            throw asked.type === 'server' ? new RetryAfterError(asked.value) : new Error('no');
          },
        });
        await queue.submit(task, null);
        const worker = startWorker({ tasks: [task], broker: { ...broker, exchange } });

        await clock.advance(1);
        await worker.stop();

        const [first] = settled;
        expect(first).toBeDefined();
        expect(Number.isInteger(first?.next.runAt)).toBe(true);
        expect(first?.next.runAt).toBeLessThanOrEqual(LAST_INSTANT_AT);
        expect(first?.next.runAt).toBeGreaterThanOrEqual(startAt);
        expect(first?.delayMs ?? 0).toBeGreaterThanOrEqual(0);
        expect(first?.delayMs ?? 0).toBeLessThanOrEqual(LAST_INSTANT_AT);
      }),
    );
  });
});
