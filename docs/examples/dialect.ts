import { formatDuration, preview } from '@retry/core';
import { fromCelery } from '@retry/core/dialects';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask, taskFrom } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';

const dialect = fromCelery({ autoretry_for: ['ConnectionError'], max_retries: 2, retry_backoff: 30 });
for (const { path, message } of dialect.warnings) console.log(path, message);

const { maxRetries, retries } = preview(dialect.policy);
console.log(maxRetries, retries.map(({ delay }) => formatDuration(delay.maxMs)).join(' ')); // => 2 30s 1m

const report = defineTask({
  name: 'report',
  ...taskFrom(dialect),
  run: (_payload: unknown, { attempt }) => {
    if (attempt < 3) throw Object.assign(new Error('refused'), { name: 'ConnectionError' });
    return `written at attempt ${attempt}`;
  },
});

const clock = createTestClock();
const broker = createMemoryBroker({ clock });
const worker = createWorker({ broker, tasks: [report], clock });
worker.start();
const { id } = await createQueue({ broker, clock }).submit(report, {});
await clock.advance('2m');
console.log((await createQueue({ broker, clock }).result(id))?.result); // => written at attempt 3
await worker.stop();
