/** The lease of one run, whose heartbeat is sent. */
export interface HeartbeatRequest {
  /** The id of the started run. */
  readonly id: string;
  /** The epoch of the claim, an integer. */
  readonly epoch: number;
}

/** `cancel`: as `ok`, and there is a cancel request for the run. */
export type HeartbeatAnswer = 'ok' | 'cancel' | 'fenced' | 'gone';

/**
 * What another thread needs to send heartbeats over a connection of its own, while the event loop of the worker is blocked.
 * All of it can be sent to that thread: plain data, and code as text, so that no bundler loses a file.
 */
export interface HeartbeatModule {
  /** The text of a CommonJS module that exports `open`, an {@link OpenHeartbeats}. */
  readonly source: string;
  /** The package of the driver, and the file or URL from where it is found. */
  readonly driver: { readonly name: string; readonly from: string | undefined };
  /** Returns what `open` is given. It may contain a password: as a function it is not shown when a broker is inspected. */
  readonly options: () => unknown;
}

/** Opens a connection, given the options of the module and the loaded driver. */
export type OpenHeartbeats<Options, Driver> = (options: Options, driver: Driver) => HeartbeatConnection;

/** A connection for heartbeats only. */
export interface HeartbeatConnection {
  /** Resolves once the server has accepted the connection; rejects when it never will. */
  readonly ready: () => Promise<void>;
  /** Renews leases, as `heartbeat` of a broker does. */
  readonly heartbeat: (
    beats: readonly HeartbeatRequest[],
    leaseMs: number,
  ) => Promise<readonly HeartbeatAnswer[]>;
  /** Closes the connection; nothing is sent after that. */
  readonly close: () => Promise<void>;
}
