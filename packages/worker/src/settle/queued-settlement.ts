import type { SettleAnswer, Settlement } from '@retry/core/broker';

/** How often a settlement was sent: the answer to one that was sent again may be about an earlier sending. */
export type Times = 'once' | 'again';

/** A settlement on its way to the broker. */
export interface QueuedSettlement {
  readonly settlement: Settlement;
  /** Its place among all runs that the worker has claimed; absent for a claim of another worker. */
  readonly order?: number | undefined;
  /**
   * Called once, unless the worker gives up. `refused`: the broker accepts neither the settlement nor any of its
   * replacements.
   */
  readonly onAnswer: (answer: SettleAnswer | 'refused', sent: Times) => void;
  /** The settlements to send when the broker refuses this one for good, in this order until one is accepted. */
  readonly replacements?: (error: unknown) => readonly QueuedSettlement[];
}
