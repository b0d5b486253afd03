import { createMemoryBroker } from '@retry/inprocess/broker';
import { createFakeClock } from '../inprocess/fake-clock.ts';
import { describeBrokerContract } from './describe-broker-contract.ts';

describeBrokerContract('the memory broker', {
  abilities: ['retention', 'ready', 'figures'],
  open: async (options) => {
    const clock = createFakeClock();
    const broker = createMemoryBroker({ clock, keepCompleted: { count: Infinity }, ...options });
    return { broker, advance: clock.advance, close: broker.close };
  },
});
