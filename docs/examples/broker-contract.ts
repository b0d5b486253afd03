import { type BrokerScene, brokerContract } from '@retry/broker-contract';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createTestClock } from '@retry/worker/testing';

/** Put your own broker in the place of this one. */
function openScene(): BrokerScene {
  const clock = createTestClock(Date.now());
  return {
    open: async (options) => createMemoryBroker({ clock, ...options }),
    advance: clock.advance,
    abilities: ['retention'],
  };
}

// Only the rules of settlements, to be quick; leave the filter out for all.
const rules = brokerContract.filter(({ name }) => name.startsWith('settle '));
let broken = 0;
for (const { name, run } of rules) {
  await run(openScene()).catch((error: unknown) => {
    broken += 1;
    console.log(`${name}: ${error}`);
  });
}
console.log(`${broken} rules broken`);
// => 0 rules broken
