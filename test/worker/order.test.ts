import type { Broker } from '@retry/core/broker';
import type { WorkerOptions } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { pass, setScene } from './scene.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** A broker whose answers overtake each other, as those of two connections may. */
function overtaking(broker: Broker, wait: (ms: number) => Promise<unknown>): Broker {
  let claims = 0;
  return {
    ...broker,
    exchange: async (request) => {
      const reply = await broker.exchange(request);
      if (request.claim === undefined) return reply;
      claims += 1;
      await wait(claims % 2 === 1 ? 5 : 1);
      return reply;
    },
  };
}

describe('a worker that runs one at a time', () => {
  it.each<Partial<WorkerOptions>>([{}, { prefetch: 0 }, { prefetch: 20 }])(
    'starts runs as they were submitted, although answers overtake each other: %o',
    async (options) => {
      const { clock, broker, queue, startWorker } = setScene();
      const executed: number[] = [];
      const task = defineTask({ name: 'ordered', run: (number: number) => void executed.push(number) });
      const slow = overtaking(broker, (ms) => pass(clock, ms));
      startWorker({ tasks: [task], concurrency: 1, broker: slow, ...options });
      for (const number of numbers(300)) {
        await queue.submit(task, number);
        if (number % 7 === 0) await clock.advance(1);
      }

      await clock.advance('1m');

      expect(executed).toEqual(numbers(300));
    },
  );

  it.each([8, 1_300])(
    'keeps the order of %i runs, one of which puts its lane on hold and gives itself back',
    async (count) => {
      const { clock, queue, startWorker } = setScene();
      const executed: number[] = [];
      let holds = 0;
      const task = defineTask({
        name: 'held',
        run: async (number: number, ctx) => {
          if (number === 2 && holds++ === 0) {
            await ctx.hold({ for: 300 });
            return ctx.release();
          }
          executed.push(number);
        },
      });
      await queue.submitMany(task, numbers(count));
      startWorker({ tasks: [task], concurrency: 1, prefetch: 1_200 });

      await clock.advance('1m');

      expect(executed).toEqual(numbers(count));
    },
  );

  it('gives back what it has claimed in its order when it stops', async () => {
    const { clock, queue, startWorker } = setScene();
    const executed: number[] = [];
    const task = defineTask({
      name: 'stopped',
      run: async (number: number) => {
        executed.push(number);
        if (number === 2) await pass(clock, 50);
      },
    });
    await queue.submitMany(task, numbers(1_300));
    const first = startWorker({ tasks: [task], concurrency: 1, prefetch: 1_200 });
    await clock.advance(20);
    await Promise.all([first.stop(), clock.advance('1s')]);
    startWorker({ tasks: [task], concurrency: 1 });

    await clock.advance('1m');

    expect(executed).toEqual(numbers(1_300));
  });
});
