import { figuresBy } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { figuresOf } from '../../packages/broker-contract/src/insight/figures-of.ts';
import { createFakeClock } from '../inprocess/fake-clock.ts';
import { brokerCommands } from '../support/broker-commands.ts';
import { createModel } from '../support/broker-model.ts';
import { pairBrokers } from '../support/paired-broker.ts';
import { createNaiveBroker } from './naive-broker.ts';

const KEEP_ALL = {
  ...{ keepCount: Infinity, keepForMs: Infinity, keepBytes: Infinity },
  ...{ keepDeadForMs: Infinity, keepKeysMs: 86_400_000 },
};
const COMMANDS = { maxCommands: 110, size: 'max' } as const;

describe('the memory broker', () => {
  it('answers every command as the naive broker does, run by run', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(brokerCommands(), COMMANDS), async (commands) => {
        const clock = createFakeClock();
        const memory = createMemoryBroker({ clock, keepCompleted: { count: Infinity } });
        const naive = createNaiveBroker({ clock, ...KEEP_ALL });
        // Of all that operators ask it counts the error groups alone.
        const { groups } = figuresOf({ broker: naive });
        const figures = figuresBy({ ...figuresOf({ broker: memory }), groups });
        const real = {
          broker: pairBrokers(memory, { ...naive, figures }),
          advance: clock.advance,
          clock: 'fake',
        } as const;

        await fc.asyncModelRun(() => ({ model: createModel(), real }), commands);

        await real.broker.close();
      }),
    );
  });
});
