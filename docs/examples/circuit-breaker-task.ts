import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';

const clock = createTestClock(); // minutes pass immediately

const charge = defineTask({
  name: 'charge',
  circuitBreaker: { failureRatio: 0.5, minimumThroughput: 10, breakDuration: '1m' },
  run: async () => {
    if (clock.now() < 90_000) throw new Error('the bank is away');
  },
});

const broker = createMemoryBroker({ clock });
const queue = createQueue({ broker, clock });
const worker = createWorker({ broker, tasks: [charge], clock });
worker.on('breaker', ({ state, reason }) => console.log(reason ?? state));
worker.start();
await queue.submitMany(charge, Array(500).fill(null));

await clock.advance('10m');
// => 10 of 10 attempts failed, the latest: Error: the bank is away
// => half-open
// => a probe failed: Error: the bank is away
// => half-open
// => closed
console.log((await queue.counts()).ended.completed); // => 500
await worker.stop();
