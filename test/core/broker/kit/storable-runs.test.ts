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
async function received(instants: Partial<Run>): Promise<Run | undefined> {
  let request: ExchangeRequest | undefined;
  const settleAndClaim: Broker['settleAndClaim'] = async (given) => {
    request = given;
    return { settled: [], claimed: [], now: 0 };
  };
  const broker = checkInput({ settleAndClaim } as Broker); // no other verb is called
  const ended = { ...newRun({ id: 'a', lane: 'l', payload: '1' } as Run), state: 'completed' } as const;
  await broker.settleAndClaim({
    settle: [{ id: 'a', epoch: 1, event: 'complete', next: { ...ended, ...instants } }],
  });
  return request?.settle?.[0]?.next;
}

describe('a settlement', () => {
  it.each(INSTANTS)('has a whole %s, where that alone has a fraction', async (key) => {
    const next = await received({ [key]: 10.5 });

    expect(next?.[key]).toBe(10);
  });

  it('has whole instants in its errors', async () => {
    const errors = [{ epoch: 1, at: 10.5, startedAt: 9.5, name: 'Error', message: 'no' }];

    const next = await received({ errors });

    expect(next?.errors).toEqual([{ epoch: 1, at: 10, startedAt: 9, name: 'Error', message: 'no' }]);
  });
});
