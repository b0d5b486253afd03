import type { BrokerAbility, BrokerScene } from '@retry/worker/testing';
import { brokerContract } from '@retry/worker/testing';
import { describe, it } from 'vitest';
import type { BrokerHarness, KeepOptions } from '../support/broker-scene.ts';

/** What a broker brings to be held to the contract. */
export interface BrokerUnderTest {
  /** Opens a broker with an empty storage; called for each case. */
  readonly open: (options?: KeepOptions) => Promise<BrokerHarness>;
  /** @default ['retention'] */
  readonly abilities?: readonly BrokerAbility[];
}

/** Runs the contract on a broker. A case that requires what the broker cannot do is skipped, and says so. */
export function describeBrokerContract(
  name: string,
  { open, abilities = ['retention'] }: BrokerUnderTest,
): void {
  describe(name, () => {
    for (const { name: rule, requires, run } of brokerContract) {
      const missing = requires.filter((ability) => !abilities.includes(ability));
      if (missing.length > 0) it.skip(`${rule} (not run: this broker has no ${missing.join(', ')})`);
      else it(rule, () => withScene(open, abilities, run));
    }
  });
}

async function withScene(
  open: BrokerUnderTest['open'],
  abilities: readonly BrokerAbility[],
  run: (scene: BrokerScene) => Promise<void>,
): Promise<void> {
  let harness: BrokerHarness | undefined;
  const scene: BrokerScene = {
    open: async (options) => {
      harness = await open(options);
      return harness.broker;
    },
    advance: (ms) => harness?.advance(ms) ?? Promise.reject(new Error('no broker is open yet')),
    abilities,
  };
  try {
    await run(scene);
  } finally {
    await harness?.close();
  }
}
