import { createMemoryBroker } from '@retry/inprocess/broker';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { createFakeClock } from '../inprocess/fake-clock.ts';
import { brokerCommands } from '../support/broker-commands.ts';
import { createModel } from '../support/broker-model.ts';

/** Any length up to this one is drawn: three runs in four take 50 steps and more. */
const COMMANDS = { maxCommands: 200, size: 'max' } as const;

describe('the memory broker', () => {
  it('agrees with the slow obvious broker after every command', async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(brokerCommands(), COMMANDS), async (commands) => {
        const clock = createFakeClock();
        const broker = createMemoryBroker({ clock, keepCompleted: { count: Infinity } });
        const real = { broker, advance: clock.advance, clock: 'fake' } as const;

        await fc.asyncModelRun(() => ({ model: createModel(), real }), commands);

        await broker.close();
      }),
    );
  });
});
