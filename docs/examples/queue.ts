import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';

let isOpen = false;

const charge = defineTask({
  name: 'charge',
  retry: { maxAttempts: 2, backoff: { type: 'none' } },
  run: async ({ amount }: { amount: number }) => {
    if (!isOpen) throw new Error('the bank is closed');
    return `charged ${amount}`;
  },
});

const broker = createMemoryBroker();
const queue = createQueue({ broker });
const worker = createWorker({ broker, tasks: [charge] });
worker.start();

const submitted = await queue.submit(charge, { amount: 5 }, { key: 'order-7' });
const again = await queue.submit(charge, { amount: 5 }, { key: 'order-7' });
console.log(again.id, again.isNew); // => charge@order-7 false
await queue.waitForResult(submitted).catch((error) => console.log(error.state, error.errorMessage));
// => failed the bank is closed

isOpen = true;
console.log(await queue.deadLetters.redrive({ task: charge })); // => [ 'charge@order-7' ]
console.log(await queue.waitForResult(submitted)); // => charged 5
await worker.stop();
