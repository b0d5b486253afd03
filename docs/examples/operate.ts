import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';

const charge = defineTask({ name: 'charge', run: async (amount: number) => `charged ${amount}` });
const broker = createMemoryBroker();
const queue = createQueue({ broker });
const worker = createWorker({ broker, tasks: [charge] });
worker.start();

await queue.hold(charge, { reason: 'the bank is closed', by: 'ada' });
const first = await queue.submit(charge, 5, { keepResult: '1m' });
const second = await queue.submit(charge, 6, { delay: '1h', keepResult: '1m' });
for (const { lane, reason, by } of await queue.holds()) console.log(lane, reason, by);
// => charge@1 the bank is closed ada

console.log(await queue.complete(first.id, 'paid in cash')); // => done
console.log(await queue.waitForResult(first)); // => paid in cash

console.log(await queue.runNow(second.id)); // => rescheduled
console.log(await queue.resume(charge)); // => resumed
console.log(await queue.waitForResult(second)); // => charged 6

// The same work once more, with another payload: a new run.
const again = await queue.resubmit(second.id, { payload: 7, keepResult: '1m' });
if (again !== undefined) console.log(await queue.waitForResult(again)); // => charged 7
await worker.stop();
