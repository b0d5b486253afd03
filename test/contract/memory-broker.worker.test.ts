import { createMemoryBroker } from '@retry/inprocess/broker';
import { createTestClock } from '@retry/worker/testing';
import { describeWorkerOnBroker } from './worker/describe-worker-on-broker.ts';

/** Steps of the clock: no timer of the tests is shorter than a few milliseconds. */
const STEP_MS = 1;

describeWorkerOnBroker('workers on the memory broker', {
  open: async () => {
    const clock = createTestClock(Date.now());
    const broker = createMemoryBroker({ clock });
    let isOpen = true;
    const goOn = async (): Promise<void> => {
      while (isOpen) await clock.advance(STEP_MS);
    };
    const going = goOn();
    return {
      clock,
      connect: async () => broker,
      close: async () => {
        isOpen = false;
        await going;
        await broker.close();
      },
    };
  },
});
