import { retry } from '@retry/inprocess';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { publishDiagnostics } from '@retry/inprocess/node';
import { instrumentRetry } from '@retry/otel';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { startCollector } from './collector.ts';
import { startTelemetry } from './telemetry.ts';

describe('metrics', () => {
  it('have a bounded number of series over 10 200 ids, whatever names and errors come', async () => {
    const collector = await startCollector();
    const telemetry = startTelemetry(collector.url);
    const stop = instrumentRetry({ calls: publishDiagnostics });
    await using broker = createMemoryBroker();
    const queue = createQueue({ broker });
    const tasks = Array.from({ length: 300 }, (_, index) =>
      defineTask({
        name: `task-${index}`,
        retry: { maxAttempts: 1 },
        run: (isFailing: boolean) => {
          if (!isFailing) return;
          const error = new Error(`of ${index}`);
          error.name = `Error${index}`;
          throw error;
        },
      }),
    );
    await Promise.all(tasks.map((task) => queue.submitMany(task, [...Array(32).fill(false), true, true])));
    for (let index = 0; index < 300; index += 1)
      await retry(failingOnce(), { backoff: { type: 'none' } }, { name: `call-${index}` });
    await createWorker({ broker, tasks, concurrency: 200, signals: [] }).drain();
    stop();
    await telemetry.close();
    await collector.close();

    const points = collector.points();
    const seriesOf = (metric: string): number => points.filter((point) => point.metric === metric).length;
    const total = (metric: string): number =>
      points.filter((point) => point.metric === metric).reduce((sum, { value }) => sum + value, 0);
    expect(total('messaging.client.sent.messages')).toBe(10_200);
    expect(total('retry.dead_letters')).toBe(600);
    expect(seriesOf('messaging.client.sent.messages')).toBe(101);
    expect(seriesOf('retry.dead_letters')).toBe(101);
    expect(seriesOf('retry.call.attempts')).toBe(101);
    expect(seriesOf('messaging.process.duration')).toBeLessThanOrEqual(101 + 101 + 31);
    expect(
      new Set(points.map((point) => JSON.stringify([point.metric, point.attributes]))).size,
    ).toBeLessThan(1_500);
    expect(JSON.stringify(points)).not.toMatch(
      /[0-9a-f]{8}-[0-9a-f]{4}-|"[0-9A-Za-z]{19}"|task-250|call-250/,
    );
  });
});

function failingOnce(): () => void {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls === 1) throw new TypeError('no');
  };
}
