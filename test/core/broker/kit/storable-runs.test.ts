import { MAX_INSTANT_AT } from '@retry/core';
import type { Broker, ExchangeRequest, Run } from '@retry/core/broker';
import { checkInput, newRun } from '@retry/core/broker/kit';
import { describe, expect, it } from 'vitest';

const INSTANTS = [
  'resetAt',
  'createdAt',
  'submittedAt',
  'firstStartedAt',
  'startedAt',
  'heartbeatAt',
  'endedAt',
  'runAt',
] as const satisfies readonly (keyof Run)[];

/** Returns the settled run as a broker receives it that checks its input. */
async function received(given: Partial<Run>): Promise<Run | undefined> {
  let request: ExchangeRequest | undefined;
  const exchange: Broker['exchange'] = async (exchange) => {
    request = exchange;
    return { settled: [], claimed: [], now: 0 };
  };
  const broker = checkInput({ exchange, notes: {} } as Broker); // no other verb is called
  const claimed = { ...newRun({ id: 'a', lane: 'l', payload: '1' } as Run), epoch: 1 };
  await broker.exchange({
    settle: [{ id: 'a', epoch: 1, event: 'complete', next: { ...claimed, state: 'completed', ...given } }],
  });
  return request?.settle?.[0]?.next;
}

describe('a settlement', () => {
  it.each(INSTANTS)('has a whole %s, where that alone has a fraction', async (key) => {
    const next = await received({ [key]: 10.5 });

    expect(next?.[key]).toBe(10);
  });

  it.each(INSTANTS)(
    'has a %s from 0 to the last instant there is, where that alone is beyond',
    async (key) => {
      expect((await received({ [key]: -5 }))?.[key]).toBe(0);
      expect((await received({ [key]: 1e300 }))?.[key]).toBe(MAX_INSTANT_AT);
      expect((await received({ [key]: MAX_INSTANT_AT }))?.[key]).toBe(MAX_INSTANT_AT);
    },
  );

  it('has a finite delay, and is due some time', async () => {
    expect((await received({ runAt: Infinity }))?.runAt).toBe(MAX_INSTANT_AT);
    expect((await received({ previousDelayMs: Infinity }))?.previousDelayMs).toBe(Number.MAX_VALUE);
  });

  it('has the epoch of its claim', async () => {
    expect(await received({ epoch: 0 })).toMatchObject({ epoch: 1 });
  });

  it('has whole instants in its errors', async () => {
    const errors = [{ epoch: 1, at: 10.5, startedAt: 9.5, name: 'Error', message: 'no' }];

    const next = await received({ errors });

    expect(next?.errors).toEqual([{ epoch: 1, at: 10, startedAt: 9, name: 'Error', message: 'no' }]);
  });
});
