import type { BrokerCase } from '@retry/broker-contract';
import { brokerContract } from '@retry/broker-contract';
import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { expect, it } from 'vitest';
import { createFakeClock } from '../inprocess/fake-clock.ts';
import { partOfContract } from './describe-broker-contract.ts';

const ABILITIES = ['retention', 'ready', 'figures'] as const;

/** Returns the names of the functions that a case calls on a broker, those of its parts as well. */
async function calledBy({ requires, run }: BrokerCase): Promise<ReadonlySet<string>> {
  const called = new Set<string>();
  if (requires.some((ability) => !ABILITIES.some((one) => one === ability))) return called;
  const clock = createFakeClock();
  const open = async (options = {}): Promise<Broker> =>
    noting(createMemoryBroker({ clock, keepCompleted: { count: Infinity }, ...options }), '', called);
  await run({ open, advance: clock.advance, abilities: ABILITIES });
  return called;
}

function noting<Value extends object>(value: Value, path: string, called: Set<string>): Value {
  return new Proxy(value, {
    get: (target, name) => {
      const got: unknown = Reflect.get(target, name);
      if (typeof got === 'function') called.add(`${path}${String(name)}`);
      return typeof got === 'object' && got !== null ? noting(got, `${path}${String(name)}.`, called) : got;
    },
  });
}

// The parts that run through a pooler, by other clients and users, in PGlite and in a cluster.
it('each tenth and each fourth case of every subject of the contract use what all cases use', async () => {
  const calls = new Map<BrokerCase, ReadonlySet<string>>();
  for (const each of brokerContract) calls.set(each, await calledBy(each));
  const usedBy = (cases: readonly BrokerCase[]): Set<string> =>
    new Set(cases.flatMap((each) => [...(calls.get(each) ?? [])]));

  const all = usedBy(brokerContract);

  expect(all.size).toBeGreaterThan(15);
  for (const everyNth of [4, 10]) expect(usedBy(partOfContract(everyNth))).toEqual(all);
});
