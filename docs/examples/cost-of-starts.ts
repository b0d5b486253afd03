import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';

const clock = createTestClock(); // minutes pass immediately
const spentAt: number[] = [];
type Prompt = { readonly maxTokens: number };

const answer = defineTask({
  name: 'answer',
  // 10 000 tokens a minute, over all workers; each run asks for what it may cost at most
  globalRateLimit: { limit: 10_000, window: '1m', key: 'model', cost: (prompt: Prompt) => prompt.maxTokens },
  run: (_: Prompt, ctx) => {
    spentAt.push(clock.now());
    ctx.spend(600); // what it has really cost: the rest is free again
  },
});

const broker = createMemoryBroker({ clock });
const queue = createQueue({ broker, clock });
const workers = ['a', 'b', 'c'].map((name) => createWorker({ broker, name, tasks: [answer], clock }));
for (const worker of workers) worker.start();
await queue.submitMany(answer, Array(60).fill({ maxTokens: 2_000 }));

await clock.advance('2m');
const inAMinute = spentAt.map((from) => spentAt.filter((at) => at >= from && at < from + 60_000).length);
console.log(Math.max(...inAMinute) * 600 <= 10_000); // => true
console.log(spentAt.length >= 20); // => true
for (const worker of workers) await worker.stop();
