import type { BrokerCase } from '@retry/broker-contract';
import { brokerContract } from '@retry/broker-contract';
import type { Broker } from '@retry/core/broker';
import { createFakeClock } from '../../inprocess/fake-clock.ts';

/** A mistake in what a server runs to forget, and the case of the contract that shows it. */
export interface RetentionMutant {
  readonly name: string;
  /** Part of the texts as they are. */
  readonly right: string;
  readonly wrong: string;
  readonly case: string;
}

/** A server whose clock only moves when it is set, for one case. */
export interface ClockedServer {
  readonly openBroker: (options?: Parameters<Parameters<BrokerCase['run']>[0]['open']>[0]) => Promise<Broker>;
  readonly setTime: (at: number) => Promise<unknown>;
}

/** Plays a case about retention on a server. Returns the error by which it fails, if it does. */
export async function playCase(name: string, { openBroker, setTime }: ClockedServer): Promise<unknown> {
  const found = brokerContract.find((one) => one.name === name);
  if (found === undefined) throw new Error(`the contract has no case "${name}"`);
  const clock = createFakeClock();
  const tick = () => setTime(Math.floor(clock.now()));
  await tick();
  const advance = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    await tick();
  };
  return found.run({ open: openBroker, advance, abilities: found.requires }).then(
    () => undefined,
    (error: unknown) => error,
  );
}
