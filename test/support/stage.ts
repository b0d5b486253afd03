import type { Broker } from '@retry/core/broker';
import type { VirtualClock } from '@retry/core/testing';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createTestClock } from '@retry/worker/testing';

/** A broker without runs, and the clock that it lives by, which stands at 0 until it is told to move. */
export interface Stage {
  readonly clock: VirtualClock;
  readonly broker: Broker;
  /** How far the broker's clock is ahead of it: whoever works with a server lives with two clocks. */
  readonly aheadMs: number;
  /** Gives back what was opened, the broker included. */
  readonly close: () => Promise<void>;
}

export type OpenStage = () => Promise<Stage>;

/** A stage in memory: the reference. */
export const openMemoryStage: OpenStage = async () => {
  const clock = createTestClock();
  const broker = createMemoryBroker({ clock });
  return { clock, broker, aheadMs: 0, close: () => broker.close() };
};
