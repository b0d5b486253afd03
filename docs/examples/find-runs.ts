import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';

const charge = defineTask({
  name: 'charge',
  retry: { maxAttempts: 2, jitter: 'none' },
  run: async ({ amount }: { amount: number }) => {
    if (amount > 100) throw new RangeError('the limit is 100');
    return `charged ${amount}`;
  },
});

const clock = createTestClock(); // the delay of the retry passes immediately
const broker = createMemoryBroker({ clock });
const queue = createQueue({ broker, clock, times: 'iso' });
const worker = createWorker({ broker, tasks: [charge], clock });
worker.start();
const { id } = await queue.submit(charge, { amount: 5 });
await queue.submit(charge, { amount: 500 });
await clock.advance('1m');

const paid = await queue.get(charge, id);
console.log(paid?.payload?.amount, paid?.result, paid?.endedAt); // => 5 charged 5 1970-01-01T00:00:00.000Z
for await (const { state, attempt, payload, errors } of queue.list({ task: charge, attempt: 2 })) {
  console.log(state, attempt, payload?.amount, errors.at(-1)?.message); // => failed 2 500 the limit is 100
}
await worker.stop();
