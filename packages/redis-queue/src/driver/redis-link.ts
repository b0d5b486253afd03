/** One argument of a command. */
export type Argument = string | Buffer;

/** A connection, or one for each node of a Cluster. */
export interface Sender {
  /** Sends one command; in a Cluster, to the node that has the key. */
  readonly send: (key: string, args: readonly Argument[]) => Promise<unknown>;
  /** Closes what was opened for it. */
  readonly close: () => Promise<void>;
}

/** What the broker needs of a Redis client, whichever it is. */
export interface RedisLink extends Sender {
  /** Sends one command that names no key; in a Cluster, to the node that has this one. */
  readonly ask: (key: string, args: readonly Argument[]) => Promise<unknown>;
  /** Opens a connection of its own that hears messages; `onBack` is called when it was lost and is there again. */
  readonly listen: (onMessage: OnMessage, onBack: () => void) => Ear;
  /** Opens a connection of its own for commands that keep theirs waiting. */
  readonly openSecond: () => Promise<PairSender>;
}

/** A connection for commands that belong together. */
export interface PairSender extends Pick<Sender, 'close'> {
  /**
   * Sends a command and one that says something of it, both over one connection, to the node that has the key; rejects
   * where a reconnect came between them.
   */
  readonly sendPair: (key: string, pair: Pair) => Promise<readonly [unknown, unknown]>;
}

/** Two commands, the first of which has keys. */
export type Pair = readonly [readonly Argument[], readonly Argument[]];

/** Told of every message. */
export type OnMessage = (channel: string, message: string) => void;

/** A connection that hears messages, at once or once it is there. */
export interface Ear {
  readonly subscribe: (channel: string) => Promise<void>;
  /** Ends the connection at once, also where it has not come about yet. */
  readonly destroy: () => void;
}
