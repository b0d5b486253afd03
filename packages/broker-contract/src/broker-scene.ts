import type { Broker } from '@retry/core/broker';
import type { RetentionOptions } from '@retry/core/broker/kit';

/** What a contract case needs from the author of a broker: an empty storage, and time. */
export interface BrokerScene {
  /**
   * Opens a broker over the storage of this scene; the case closes it. A case that requires `several-clients` calls it
   * again, for another client of the same storage, as another process would open one.
   */
  readonly open: (options: StorageOptions) => Promise<Broker>;
  /** Lets at least `ms` pass by the clock of the broker: moves a fake clock, or waits. */
  readonly advance: (ms: number) => Promise<void>;
  /** What this broker can do beyond the required part of the port. A case that requires more rejects. */
  readonly abilities?: readonly BrokerAbility[] | undefined;
}

/** What the storage of one case keeps of ended runs. Only cases that require `retention` ask for less than all completed ones. */
export type StorageOptions = RetentionOptions;

/**
 * An optional part of the port.
 * - `retention`: `keepCompleted`, `keepDead` and `keepKeys` are options of the broker.
 * - `ready`: the broker has `ready`, which resolves once it can be used.
 * - `figures`: the broker has `figures`.
 * - `several-clients`: `open` may be called again for another client of the same storage.
 */
export type BrokerAbility = 'retention' | 'ready' | 'figures' | 'several-clients';
