import type { Broker } from '@retry/core/broker';
import type { VirtualClock } from '@retry/core/testing';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createTestClock } from '@retry/worker/testing';

/** A broker without runs and its virtual clock, which starts at 0. */
export interface Stage {
  readonly clock: VirtualClock;
  readonly broker: Broker;
  /** How far the clock of the broker's server is ahead of the virtual one. */
  readonly aheadMs: number;
  /** Closes the broker and what else was opened. */
  readonly close: () => Promise<void>;
}

export type OpenStage = () => Promise<Stage>;

/** A stage in memory: the reference. */
export const openMemoryStage: OpenStage = async () => {
  const clock = createTestClock();
  const broker = createMemoryBroker({ clock });
  return { clock, broker, aheadMs: 0, close: () => broker.close() };
};
