import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';

const convert = defineTask({
  name: 'convert',
  retry: { maxAttempts: 4, backoff: { type: 'constant', base: '20ms' }, jitter: 'none' },
  run: async ({ file }: { file: string }, { attempt, maxAttempts, log, retry }) => {
    log(`${file}, attempt ${attempt} of ${maxAttempts}`);
    if (attempt === 1) throw new Error('the disk is busy'); // as the policy says
    if (attempt === 2) retry({ delay: '5ms', error: new Error('not uploaded yet') }); // as this call says
    return `${file}.pdf`;
  },
});

const broker = createMemoryBroker();
const worker = createWorker({ broker, tasks: [convert] });
worker.on('log', ({ message }) => console.log(message));
worker.on('retried', ({ error, delayMs }) => console.log(`${error}: next in ${delayMs} ms`));
worker.start();

console.log(await createQueue({ broker }).submitAndWait(convert, { file: 'report' }));
// => report, attempt 1 of 4
// => Error: the disk is busy: next in 20 ms
// => report, attempt 2 of 4
// => Error: not uploaded yet: next in 5 ms
// => report, attempt 3 of 4
// => report.pdf
await worker.stop();
