import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';

const clock = createTestClock(); // seconds pass immediately
const done: string[] = [];

const sync = defineTask({
  name: 'sync-account',
  retry: { backoff: { type: 'constant', base: '5s' }, jitter: 'none' },
  run: (change: string, ctx) => {
    if (change === 'opened' && ctx.attempt < 3) throw new Error('the bank does not answer');
    done.push(change);
  },
});

const broker = createMemoryBroker({ clock });
const queue = createQueue({ broker, clock });
const concurrency = { key: 'account-7', limit: 1, holdWhileRetrying: true };
for (const change of ['opened', 'renamed', 'closed']) await queue.submit(sync, change, { concurrency });

const worker = createWorker({ broker, tasks: [sync], clock });
worker.start();
await clock.advance('1m');
console.log(done.join(', ')); // => opened, renamed, closed
await worker.stop();
