import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';

let isServerUp = false;
const greet = defineTask({
  name: 'greet',
  retry: { maxAttempts: 2, backoff: { type: 'constant', base: '1m' }, jitter: 'none' },
  run: async (name: string) => (isServerUp ? name : Promise.reject(new Error('the server is down'))),
});
const clock = createTestClock(); // the delays pass immediately
const broker = createMemoryBroker({ clock });
const queue = createQueue({ broker, clock });
const worker = createWorker({ broker, tasks: [greet], clock });
worker.start();
await queue.submitMany(greet, ['Ada', 'Grace', 'Edsger']);
await clock.advance('5m');

const plan = await queue.deadLetters.plan({ task: greet });
console.log(plan.count, plan.groups[0]?.title); // => 3 Error: the server is down
console.log(plan.load.maxAttempts, plan.tasks[0]?.deadAgainAfterMs); // => 6 60000

isServerUp = true;
const operation = await plan.apply({ perSecond: 1, by: 'ada' });
await clock.advance('5s');
const { state, done, skipped } = await operation.wait();
console.log(state, done, skipped); // => done 3 0
await worker.stop();
