import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, type DeadLetter, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';

const refund = defineTask({
  name: 'refund',
  run: async ({ task, payload, errors }: DeadLetter<{ order: number }>) => {
    console.log(`${task} ${payload?.order}, ${errors.length} attempts: ${errors.at(-1)?.message}`);
  },
});

const charge = defineTask({
  name: 'charge',
  retry: { maxAttempts: 2 },
  deadLetter: { task: refund },
  run: async (_: { order: number }) => Promise.reject(new Error('the card was declined')),
});

const clock = createTestClock(); // the delay of the retry passes immediately
const broker = createMemoryBroker({ clock });
const queue = createQueue({ broker, clock });
const worker = createWorker({ broker, tasks: [charge, refund], clock });
worker.start();
await queue.submit(charge, { order: 7 });

await clock.advance('1m'); // => charge 7, 2 attempts: the card was declined
console.log((await queue.deadLetters.list({ task: charge })).runs.length); // => 1
await worker.stop();
