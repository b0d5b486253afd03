import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';

const clock = createTestClock(); // minutes pass immediately

/** Stands for a service that has enough of us for a minute. */
const request = async () =>
  new Response('ok', clock.now() < 60_000 ? { status: 429, headers: { 'retry-after': '30' } } : {});

const sync = defineTask({
  name: 'sync',
  retry: { maxAttempts: 1 },
  run: async (_: null, ctx) => {
    const response = await request();
    if (response.status === 429) {
      await ctx.hold({ for: Number(response.headers.get('retry-after')) * 1_000, reason: '429' });
      return ctx.release({ reason: '429' });
    }
    console.log(`attempt ${ctx.attempt} after ${clock.now() / 1_000} s`);
  },
});

const broker = createMemoryBroker({ clock });
const worker = createWorker({ broker, tasks: [sync], clock });
worker.start();
await createQueue({ broker, clock }).submit(sync, null);
await clock.advance('5m'); // => attempt 1 after 60 s
await worker.stop();
