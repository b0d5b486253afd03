import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { trace } from '@opentelemetry/api';
import { instrumentRetry } from '@retry/otel';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue } from '@retry/worker';
import { nodeArgs } from '../../support/programs/node-args.ts';
import { removeKeys } from '../../support/servers/remove-keys.ts';
import type { ReceivedPoint, ReceivedSpan } from '../collector.ts';
import { startCollector } from '../collector.ts';
import { startTelemetry } from '../telemetry.ts';
import { createMailTask } from './mail-task.ts';

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));

/** What a collector received. */
export interface Received {
  readonly spans: readonly ReceivedSpan[];
  readonly points: readonly ReceivedPoint[];
}

/** Lets a request in this process submit a run, and a worker in another one retry it, over Redis; returns what both exported. */
export async function receiveTrace(url: string): Promise<Received> {
  const prefix = `otel-${randomUUID()}`;
  const collector = await startCollector();
  const args = [...nodeArgs(), WORKER, url, prefix, collector.url];
  const worker = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(worker, 'exit');
  await once(worker.stdout, 'data');

  const telemetry = startTelemetry(collector.url, 'web');
  const stop = instrumentRetry();
  const broker = createRedisBroker({ url, prefix });
  const queue = createQueue({ broker });
  await queue.counts(); // connects
  await rest(1_000); // until the worker waits for work
  await trace.getTracer('app').startActiveSpan('request', async (span) => {
    await rest(30); // the request's own work
    await queue.submit(
      createMailTask(async () => {}),
      'Ada',
    );
    await rest(20);
    span.end();
  });
  const [code] = await ended;
  stop();
  await telemetry.close();
  await broker.close();
  await removeKeys(url, prefix);
  await collector.close();
  if (code !== 0) throw new Error(`the worker ended with ${code}`);
  return { spans: collector.spans(), points: collector.points() };
}
