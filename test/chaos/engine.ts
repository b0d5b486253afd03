import type { Broker } from '@retry/core/broker';

/** A storage engine under chaos. */
export interface ChaosEngine {
  /** Starts a server of our own. */
  readonly start: () => Promise<ChaosServer>;
  /** Opens a broker in any process; `address` is the server's. @param name - of the queue, where there are several */
  readonly connect: (address: string, name?: string) => Promise<Broker>;
}

/** A server that this run started. */
export interface ChaosServer {
  readonly address: string;
  /** For the summary. */
  readonly source: string;
  readonly stop: () => Promise<void>;
}
