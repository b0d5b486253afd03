import { createRedisBroker } from '@retry/redis-queue';
import { createQueue, createWorker } from '@retry/worker';
import { sendMail } from './tasks.ts';

function open() {
  const broker = createRedisBroker({
    url: process.env['REDIS_URL'] ?? 'redis://localhost',
    prefix: process.env['QUEUE_PREFIX'],
  });
  return { queue: createQueue({ broker }), worker: createWorker({ broker, tasks: [sendMail] }) };
}

// Next bundles each route and the instrumentation on its own: all use one.
const shared = globalThis as { mails?: ReturnType<typeof open> };
shared.mails ??= open();
export const { queue, worker } = shared.mails;
