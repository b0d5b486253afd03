import { createMemoryBroker } from '@retry/inprocess/broker';
import { describeWorkerOnBroker } from './worker/describe-worker-on-broker.ts';

describeWorkerOnBroker('workers on the memory broker', {
  open: async () => {
    const broker = createMemoryBroker();
    return { connect: async () => broker, close: broker.close };
  },
});
