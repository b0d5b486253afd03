import { createMemoryBroker } from '@retry/inprocess/broker';
import { instrumentRetry } from '@retry/otel';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Collector } from './collector.ts';
import { startCollector } from './collector.ts';
import type { Telemetry } from './telemetry.ts';
import { startTelemetry } from './telemetry.ts';

let collector: Collector;
let telemetry: Telemetry;
let stop: () => void;

beforeEach(async () => {
  collector = await startCollector();
  telemetry = startTelemetry(collector.url);
  stop = instrumentRetry();
});

afterEach(async () => {
  stop();
  await telemetry.close();
  await collector.close();
});

const AT_ONCE = { maxAttempts: 2, backoff: { type: 'none' } } as const;

async function fail(): Promise<never> {
  throw new TypeError('it fails');
}

/** Sends no heartbeat, so it is stalled. */
function hang(_: null, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

const STALLING = { name: 'mail', heartbeat: '20ms', run: hang } as const;
const FAILING = { name: 'mail', retry: AT_ONCE, run: fail } as const;
const LIMITED = { name: 'mail', rateLimit: { limit: 1, window: '1h' }, run: async () => {} } as const;

describe('what a worker does with two runs', () => {
  it.each([
    ['that fail', FAILING, { retried: 2, failed: 2 }, { exhausted: 2 }],
    ['that fail and are not kept', { ...FAILING, deadLetter: 'none' }, { retried: 2, failed: 2 }, {}],
    ['that stall and are held', { ...STALLING, onStall: 'hold' }, { stalled: 2 }, { stalled: 2 }],
    ['that stall for good', { ...STALLING, onStall: 'fail' }, { stalled: 2 }, { stalled: 2 }],
    [
      'that stall for good and are not kept',
      { ...STALLING, onStall: 'fail', deadLetter: 'none' },
      { stalled: 2 },
      {},
    ],
    [
      'of which one ends at a limit',
      { ...LIMITED, whenFull: 'end' },
      { completed: 1, limited: 1 },
      { limit: 1 },
    ],
  ] as const)(
    '%s is counted once for each attempt, and once for each dead letter',
    async (_name, input, outcomes, letters) => {
      await using broker = createMemoryBroker();
      const task = defineTask(input as typeof FAILING);
      const queue = createQueue({ broker });
      for (let count = 0; count < 2; count += 1) await queue.submit(task, null);
      await createWorker({ broker, tasks: [task], signals: [] }).drain();
      await telemetry.flush();

      expect(pointsOf('retry.run.outcomes', 'retry.outcome')).toEqual(outcomes);
      expect(pointsOf('retry.dead_letters', 'retry.reason')).toEqual(letters);
      const kept = (await queue.list({ state: ['failed', 'stalled', 'rateLimited'] })).runs.filter(
        ({ isDisposable }) => isDisposable !== true,
      );
      expect(Object.values(letters).reduce((sum, each) => sum + each, 0)).toBe(kept.length);
    },
  );
});

/** Returns the values of a metric by one of its attributes. */
function pointsOf(metric: string, attribute: string): Readonly<Record<string, number>> {
  const points = collector.points().filter((point) => point.metric === metric);
  return Object.fromEntries(points.map(({ attributes, value }) => [String(attributes[attribute]), value]));
}
