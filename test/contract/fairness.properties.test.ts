import { createMemoryBroker } from '@retry/inprocess/broker';
import { describe, it } from 'vitest';
import { createFakeClock } from '../inprocess/fake-clock.ts';
import { assertFairWorlds } from '../support/fair-worlds.ts';

describe('turns of fairness keys', () => {
  it('delay a run by at most one start of each other key for each turn of its own', async () => {
    await assertFairWorlds(async () => createMemoryBroker({ clock: createFakeClock() }));
  });
});
