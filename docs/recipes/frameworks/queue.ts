import { setTimeout } from 'node:timers/promises';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue, createWorker, defineTask } from '@retry/worker';

export interface Mail {
  readonly to: string;
}

export const sendMail = defineTask({
  name: 'send-mail',
  run: async ({ to }: Mail) => {
    console.log(`sending to ${to}`);
    await setTimeout(500); // stands for your SMTP client
    console.log(`sent to ${to}`);
  },
});

export const broker = createRedisBroker({
  url: process.env['REDIS_URL'] ?? 'redis://localhost',
  prefix: process.env['QUEUE_PREFIX'],
});
export const queue = createQueue({ broker });
export const worker = createWorker({ broker, tasks: [sendMail], signals: [] });
