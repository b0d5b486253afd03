import { createMemoryBroker } from '@retry/inprocess/broker';
import { createTestClock } from '@retry/worker/testing';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/worker/src/clock.ts';
// Not exported by the package.
import { chooseRenewal } from '../../packages/worker/src/lease/choose-renewal.ts';

describe('chooseRenewal', () => {
  const { facts: _, ...withoutModule } = createMemoryBroker();

  it.each([
    ['a broker over a client', withoutModule, systemClock, /not opened by a url/],
    [
      'a client that handlers use, too',
      { ...withoutModule, facts: { heartbeats: 'shared-client' } as const },
      systemClock,
      /heartbeats wait while handlers/,
    ],
    ['a clock of the user', withoutModule, createTestClock(), /A clock of your own/],
  ] as const)('says why a thread that was asked for is impossible: %s', (_name, broker, clock, reason) => {
    const renewal = chooseRenewal({ leaseRenewal: 'thread', broker, clock });

    expect(renewal).toMatchObject({ by: 'loop', problem: { reason: expect.stringMatching(reason) } });
  });

  it.each([
    ["leaseRenewal: 'loop'", { leaseRenewal: 'loop', broker: withoutModule, clock: systemClock }],
    [
      'with a clock of the user',
      { leaseRenewal: undefined, broker: withoutModule, clock: createTestClock() },
    ],
    ['a broker in memory', { leaseRenewal: undefined, broker: createMemoryBroker(), clock: systemClock }],
  ] as const)('says nothing %s', (_, chosen) => {
    expect(chooseRenewal(chosen)).toEqual({ by: 'loop' });
  });
});
