import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';

type Mail = { tenant: string; number: number };
const mailsOf = (tenant: string, count: number): Mail[] =>
  Array.from({ length: count }, (_, index) => ({ tenant, number: index + 1 }));

const clock = createTestClock(); // seconds pass immediately
const started: string[] = [];
const send = defineTask({
  name: 'send',
  fairness: ({ tenant }: Mail) => tenant,
  run: async ({ tenant, number }: Mail) => {
    started.push(`${tenant} ${number}`);
    await new Promise<void>((resolve) => void clock.setTimer(resolve, 100));
  },
});

const broker = createMemoryBroker({ clock });
const queue = createQueue({ broker, clock });
await queue.submitMany(send, [...mailsOf('big', 1_000), ...mailsOf('small', 10)]);
const worker = createWorker({ broker, tasks: [send], clock, concurrency: 4 });
worker.start();
await clock.advance('1m');
console.log(started.slice(0, 5).join(', ')); // => big 1, small 1, big 2, small 2, big 3
console.log(started.indexOf('small 10') + 1, started.length); // => 20 1010
await worker.stop();
