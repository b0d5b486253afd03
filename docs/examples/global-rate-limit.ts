import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';

const clock = createTestClock(); // minutes pass immediately
const startedAt: number[] = [];

const charge = defineTask({
  name: 'charge',
  globalRateLimit: { limit: 100, window: '1m', key: 'bank' },
  run: () => void startedAt.push(clock.now()),
});

const broker = createMemoryBroker({ clock });
const queue = createQueue({ broker, clock });
const workers = ['a', 'b', 'c'].map((name) => createWorker({ broker, name, tasks: [charge], clock }));
for (const worker of workers) worker.start();
await queue.submitMany(charge, Array(450).fill(null));

await clock.advance('4m');
const mostInAMinute = Math.max(
  ...startedAt.map((from) => startedAt.filter((at) => at >= from && at < from + 60_000).length),
);
console.log(mostInAMinute); // => 100
console.log(startedAt.length); // => 400
for (const worker of workers) await worker.stop();
