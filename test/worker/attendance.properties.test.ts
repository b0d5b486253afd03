import type { Attendance } from '@retry/core/broker';
import { listWorkers } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const CLEANER_MS = 5_000;
const idle = defineTask({ name: 'idle', run: () => {} });

/** How long each call of `attend` is under way before it reaches the broker, in ms. */
const latencies = fc.array(fc.nat(4 * CLEANER_MS), { minLength: 1, maxLength: 8 });

describe('a worker that has stopped', () => {
  it('is not registered, however long its registrations were under way', async () => {
    await fc.assert(
      fc.asyncProperty(latencies, fc.nat(6 * CLEANER_MS), async (latencyMs, livesMs) => {
        expect(await workersLeft(latencyMs, livesMs)).toEqual([]);
      }),
      {
        examples: [
          [[0, 2 * CLEANER_MS], 1], // a renewal is due while the registration ends
          [[4 * CLEANER_MS, 0, 0], CLEANER_MS + 1], // the first registration is slower than the second one
        ],
      },
    );
  });
});

/** Returns the workers that are registered at the end of a worker's life. */
async function workersLeft(latencyMs: readonly number[], livesMs: number): Promise<readonly string[]> {
  const clock = createTestClock(0);
  const broker = createMemoryBroker({ clock });
  let calls = 0;
  const attend = async (attendance?: Attendance) => {
    const ms = latencyMs[calls % latencyMs.length] ?? 0;
    calls += 1;
    await new Promise<void>((resolve) => clock.setTimer(resolve, ms));
    // No registration lapses by itself.
    return broker.attend(attendance && { ...attendance, ttlMs: 1_000 * attendance.ttlMs });
  };
  const worker = createWorker({
    broker: { ...broker, attend },
    clock,
    tasks: [idle],
    signals: [],
    cleanerInterval: CLEANER_MS,
  });
  worker.start();
  await clock.advance(livesMs);
  void worker.stop();
  await clock.advance(20 * CLEANER_MS);
  await worker.stopped;
  const workers = await listWorkers(broker);
  return workers.map(({ worker }) => worker);
}
