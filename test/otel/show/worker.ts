/**
 * The worker of `npm run trace:otel`, in a process of its own: `worker.ts <redis> <prefix> <collector>`. It waits for one run, and makes its
 * attempts until it has ended. Its delays are those that the picture shows.
 */
import { setTimeout as rest } from 'node:timers/promises';
import { retry } from '@retry/inprocess';
import { publishDiagnostics } from '@retry/inprocess/node';
import { instrumentRetry } from '@retry/otel';
import { createRedisBroker } from '@retry/redis-queue';
import { createWorker } from '@retry/worker';
import { startTelemetry } from '../telemetry.ts';
import { createMailTask } from './mail-task.ts';

const [url = '', prefix = '', collector = ''] = process.argv.slice(2);

const telemetry = startTelemetry(collector, 'worker');
const stop = instrumentRetry({ calls: publishDiagnostics });
const deliver = async ({ attempt }: { readonly attempt: number }): Promise<void> => {
  await rest(60);
  if (attempt === 1) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
};
const task = createMailTask(async ({ attempt }) => {
  if (attempt === 2)
    return retry(deliver, { backoff: { type: 'constant', base: 80 }, jitter: 'none' }, { name: 'deliver' });
  await rest(120);
  throw new RangeError('the address has no domain yet');
});
{
  await using broker = createRedisBroker({ url, prefix });
  const worker = createWorker({ broker, tasks: [task] });
  const ended = new Promise((resolve) => worker.on('completed', resolve));
  worker.start();
  console.log('started');
  await ended;
  await worker.stop();
}
stop();
await telemetry.close();
