import { brokerContract } from '@retry/broker-contract';
import type { Clock } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { checkInput } from '@retry/core/broker/kit';
import { expect, it } from 'vitest';
import { createReservations } from './counted-starts.ts';
import { createNaiveBroker } from './naive-broker.ts';
import { openNaive } from './open-naive.ts';

const cases = brokerContract.filter(
  ({ name, requires }) => name.startsWith('reserve ') && requires.length === 0,
);

it.each(cases)('a broker that counts starts one by one, without buckets: $name', async ({ run }) => {
  let advance = async (_ms: number): Promise<void> => {};
  const scene = {
    open: async (): Promise<Broker> => {
      const harness = openNaive((options) =>
        checkInput({ ...createNaiveBroker(options), reserve: countOneByOne(options.clock) }),
      );
      advance = async (ms) => harness.advance(ms);
      return harness.broker;
    },
    advance: (ms: number) => advance(ms),
    abilities: ['retention'],
  } as const;

  await expect(run(scene)).resolves.toBeUndefined();
});

function countOneByOne({ now }: Clock): Broker['reserve'] {
  const reserveOne = createReservations();
  return async (requests) => requests.map((request) => reserveOne(request, now()));
}
