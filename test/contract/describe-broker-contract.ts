import type { BrokerAbility, BrokerCase, BrokerScene } from '@retry/broker-contract';
import { brokerContract } from '@retry/broker-contract';
import { describe, it } from 'vitest';
import type { BrokerHarness, KeepOptions } from '../support/broker-scene.ts';
import { groupNoticeCases } from './group-notices.ts';

/** What a broker brings to be held to the contract. */
export interface BrokerUnderTest {
  /** Opens a broker with an empty storage; called for each case, and again for another client unless it has `connect`. */
  readonly open: (options?: KeepOptions) => Promise<BrokerHarness>;
  /** @default ['retention', 'ready', 'figures', 'several-clients'] */
  readonly abilities?: readonly BrokerAbility[];
  /**
   * Whether several cases run at a time: most of the time they wait. Not where they share a storage, or a thread with the server.
   *
   * @default true
   */
  readonly isConcurrent?: boolean;
  /**
   * Runs only each n-th case of each subject: where the statements are those of another client that runs them all, and only the connection
   * differs.
   *
   * @default 1
   */
  readonly everyNth?: number;
}

/** Runs the contract on a broker, and the rules of notices about groups, which are the worker's. A case that requires what the broker cannot do is skipped, and says so. */
export function describeBrokerContract(
  name: string,
  {
    open,
    abilities = ['retention', 'ready', 'figures', 'several-clients'],
    isConcurrent = true,
    everyNth = 1,
  }: BrokerUnderTest,
): void {
  const part = everyNth === 1 ? '' : `, each ${everyNth}th case`;
  const cases = partOfContract(everyNth);
  describe(`${name}${part}`, { concurrent: isConcurrent }, () => {
    for (const { name: rule, requires, run } of cases) {
      const missing = requires.filter((ability) => !abilities.includes(ability));
      if (missing.length > 0) it.skip(`${rule} (not run: this broker has no ${missing.join(', ')})`);
      else it(rule, () => withScene(open, abilities, run));
    }
  });
}

/** Cases that call what none at regular intervals may call. */
const ALWAYS: ReadonlySet<string> = new Set(['operations are paused, resumed and cancelled']);

/** Returns the first case of each subject, which is the first word of its name, each n-th one after it, and those above. */
export function partOfContract(everyNth: number): readonly BrokerCase[] {
  const seen = new Map<string, number>();
  return [...brokerContract, ...groupNoticeCases].filter(({ name }) => {
    const [subject = ''] = name.split(' ');
    const index = seen.get(subject) ?? 0;
    seen.set(subject, index + 1);
    return index % everyNth === 0 || ALWAYS.has(name);
  });
}

async function withScene(
  open: BrokerUnderTest['open'],
  abilities: readonly BrokerAbility[],
  run: (scene: BrokerScene) => Promise<void>,
): Promise<void> {
  const harnesses: BrokerHarness[] = [];
  const scene: BrokerScene = {
    open: async (options) => {
      const [first] = harnesses;
      if (first?.connect) return first.connect();
      const harness = await open(options);
      harnesses.push(harness);
      return harness.broker;
    },
    advance: (ms) => harnesses[0]?.advance(ms) ?? Promise.reject(new Error('no broker is open yet')),
    abilities,
  };
  try {
    await run(scene);
  } finally {
    for (const harness of harnesses) await harness.close();
  }
}
