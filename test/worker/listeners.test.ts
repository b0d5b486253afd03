import type { Clock } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { cancelRuns } from '@retry/core/broker/kit';
import { createWorker, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const RECEIVED = defineTask({ name: 'received', run: () => {} });

/** The same clock; `count` says how many timers are set. */
function counting(clock: Clock): Clock & { readonly count: () => number } {
  let set = 0;
  return {
    ...clock,
    setTimer: (callback, delayMs) => {
      let isSet = true;
      const end = (): void => {
        if (isSet) set -= 1;
        isSet = false;
      };
      set += 1;
      const cancel = clock.setTimer(() => {
        end();
        callback();
      }, delayMs);
      return () => {
        end();
        cancel();
      };
    },
    count: () => set,
  };
}

describe('a listener', () => {
  it('that is added by another one hears the next event', async () => {
    const { queue } = setScene();
    const heard: string[] = [];
    const once = (listener: () => void): void => {
      const off = queue.on('submitted', ({ id }) => {
        off();
        heard.push(id);
        listener();
      });
    };
    const again = (): void => {
      if (heard.length < 9) once(again);
    };
    once(again);

    await queue.submit(RECEIVED, null, { key: 'a' });
    await queue.submit(RECEIVED, null, { key: 'b' });

    expect(heard).toEqual(['received@a', 'received@b']);
  });

  it('that is added twice hears each event twice, until each is removed', async () => {
    const { queue } = setScene();
    let heard = 0;
    const listener = (): void => {
      heard += 1;
    };
    const [first, second] = [queue.on('submitted', listener), queue.on('submitted', listener)];

    await queue.submit(RECEIVED, null);
    second();
    second();
    await queue.submit(RECEIVED, null);
    first();
    await queue.submit(RECEIVED, null);

    expect(heard).toBe(3);
  });

  it('of started that stops the worker leaves no timer behind', async () => {
    const { clock, broker, queue } = setScene();
    const task = defineTask({
      name: 'timed',
      retry: { attemptTimeout: '15s' },
      heartbeat: '9s',
      run: () => {},
    });
    const timers = counting(clock);
    const worker = createWorker({ broker, tasks: [task], clock: timers, signals: [] });
    worker.on('started', () => void worker.stop());
    await queue.submit(task, null);
    worker.start();

    await Promise.all([worker.stopped, clock.advance('5s')]);

    expect(timers.count()).toBe(0);
  });

  it('of started that cancels the run costs no slot', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const worker = startWorker({ tasks: [RECEIVED], concurrency: 1 });
    const off = worker.on('started', ({ id }) => {
      off();
      void cancelRuns(broker, [id]);
    });
    await queue.submit(RECEIVED, null);
    await clock.advance(100);
    const { id } = await queue.submit(RECEIVED, null);

    await clock.advance('1s');

    expect(await queue.get(id)).toMatchObject({ state: 'completed' });
  });

  it('of error that stops the worker at once, while it starts, stops it', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    let calls = 0;
    const { ready: _, ...faulty }: Broker = {
      ...broker,
      exchange: (request) => {
        calls += 1;
        if (calls === 1) throw new Error('not yet'); // before it returns a promise
        return broker.exchange(request);
      },
    };
    const worker = createWorker({
      broker: faulty,
      tasks: [RECEIVED],
      clock,
      signals: [],
      pollInterval: '1s',
    });
    worker.on('error', () => void worker.stop());
    worker.start();
    await Promise.all([worker.stopped, clock.advance('5s')]);
    const { id } = await queue.submit(RECEIVED, null);

    await clock.advance('5s');

    expect(await queue.get(id)).toMatchObject({ state: 'submitted' });
    startWorker({ tasks: [RECEIVED] });
  });
});
