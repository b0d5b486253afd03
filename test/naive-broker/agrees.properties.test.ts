import type { Broker } from '@retry/core/broker';
import { attendBy, figuresBy } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { figuresOf } from '../../packages/broker-contract/src/insight/figures-of.ts';
import { createFakeClock } from '../inprocess/fake-clock.ts';
import { brokerCommands } from '../support/broker-commands.ts';
import { createModel } from '../support/broker-model.ts';
import { pairBrokers } from '../support/paired-broker.ts';
import { createNaiveBroker } from './naive-broker.ts';

const COMMANDS = { maxCommands: 110, size: 'max' } as const;

describe('the memory broker', () => {
  it('answers every command as the naive broker does, run by run', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(brokerCommands(), COMMANDS), async (commands) => {
        const clock = createFakeClock();
        const memory = createMemoryBroker({ clock, keepCompleted: { count: Infinity } });
        const naive = createNaiveBroker({ clock, keepCompleted: Infinity, keepKeysMs: 86_400_000 });
        // A naive broker counts starts one by one and ours in buckets, so another one of ours answers for it.
        const { reserve } = createMemoryBroker({ clock });
        // Of all that operators ask it counts the error groups alone.
        const { groups } = figuresOf({ broker: naive });
        const figures = figuresBy({ ...figuresOf({ broker: memory }), groups });
        // Who attends it keeps for itself, and not in notes.
        const none = async () => [];
        const attend: Broker['attend'] = (given) =>
          attendBy({ notes: naive.notes, names: none, depths: none }, given);
        const real = {
          broker: pairBrokers(memory, { ...naive, reserve, attend, figures }),
          advance: clock.advance,
          clock: 'fake',
        } as const;

        await fc.asyncModelRun(() => ({ model: createModel(), real }), commands);

        await real.broker.close();
      }),
    );
  });
});
