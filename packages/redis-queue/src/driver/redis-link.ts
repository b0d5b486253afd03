/** One argument of a command. */
export type Argument = string | Buffer;

/** A connection, or one for each node of a Cluster. */
export interface Sender {
  /** Sends one command; in a Cluster, to the node that has the key. */
  readonly send: (key: string, args: readonly Argument[]) => Promise<unknown>;
  /** Closes what was opened for it. */
  readonly close: () => Promise<void>;
}

/** What the broker needs of a Redis client of either package. */
export interface RedisLink extends Sender {
  /** Sends one command that names no key; in a Cluster, to the node that has this one. */
  readonly ask: (key: string, args: readonly Argument[]) => Promise<unknown>;
  /**
   * Whether what it is given now is written immediately. A transaction of `redis` that is not waits for a connection without limit, and a
   * command for seconds. Absent where the client does not say, or treats both alike.
   */
  readonly isConnected?: () => boolean;
  /**
   * Sends commands that take effect together, over keys that one node of a Cluster has. Resolves to the reply of each, which may be an
   * error; rejects when none of them took effect. Absent where the client has no transactions.
   */
  readonly sendAll?: (key: string, commands: readonly (readonly Argument[])[]) => Promise<readonly unknown[]>;
  /** Opens a connection of its own for messages; `onBack` is called when it was lost and has reconnected. */
  readonly listen: (onMessage: OnMessage, onBack: () => void) => Subscriber;
  /** Opens another connection, for commands that block theirs, or that must not wait for others. @param closing - closes it */
  readonly openSecond: (closing?: AbortSignal) => Promise<PairSender>;
  /** Opens every connection again, because the server has become a replica. Absent for a client of the user. */
  readonly leave?: () => void;
}

/** A connection for commands that belong together. */
export interface PairSender extends Pick<Sender, 'close'> {
  /**
   * Sends two commands over the same connection, to the node that has the key of the first; rejects when the connection was
   * lost between them.
   */
  readonly sendPair: (key: string, pair: Pair) => Promise<readonly [unknown, unknown]>;
}

/** Two commands, the first of which has keys. */
export type Pair = readonly [readonly Argument[], readonly Argument[]];

/** Called with every message. */
export type OnMessage = (channel: string, message: string) => void;

/** A connection for messages, which may still be opening. */
export interface Subscriber {
  /** Resolves when the server has confirmed it. */
  readonly subscribe: (channel: string) => Promise<void>;
  /** Ends the connection immediately, even while it is opening. */
  readonly destroy: () => void;
}
