/** The part of a `redis` (node-redis 5 or 6) client that the broker needs. */
export interface NodeRedisClient {
  // A method, so that a client that takes Buffers fits without Node's types. `asap` is never given: before 5.6 the package knows no
  // `timeout`, and TypeScript refuses a client that knows none of the options.
  sendCommand(
    args: readonly (string | Uint8Array)[],
    options?: { readonly timeout?: number; readonly asap?: boolean },
  ): Promise<unknown>;
  /** Whether it is connected: what it is given is written immediately. */
  readonly isReady?: boolean;
  /** Returns another client with the same options, not connected yet. */
  readonly duplicate: () => NodeRedisListener & Pick<NodeRedisClient, 'sendCommand'>;
  /** A transaction. Where there is none, long payloads pass through scripts, which is slower. */
  multi?(): NodeRedisTransaction;
}

/** Commands of a `redis` client in one transaction. */
interface NodeRedisTransaction {
  /** Adds a command; nothing is sent before `exec`. */
  addCommand(args: (string | Uint8Array)[]): NodeRedisTransaction;
  /** Sends the commands; replies come in their order. */
  readonly exec: () => Promise<readonly unknown[]>;
}

/** The part of a `redis` cluster that the broker needs. */
export interface NodeRedisCluster {
  /** Distinguishes a cluster from a client. */
  readonly slots: unknown;
  /** Sends a command to the node that has its first key. */
  sendCommand(
    firstKey: string | Uint8Array | undefined,
    isReadonly: boolean | undefined,
    args: (string | Uint8Array)[],
  ): Promise<unknown>;
  /** Commands in one pipeline, to the node that has the key. */
  multi(): NodeRedisPipeline;
  /** Returns another cluster with the same options, not connected yet. */
  readonly duplicate: () => NodeRedisListener & Pick<NodeRedisCluster, 'multi'>;
}

/** Commands of a `redis` cluster in one pipeline. */
export interface NodeRedisPipeline {
  /** Adds a command; nothing is sent before it is executed. */
  addCommand(firstKey: string, isReadonly: boolean, args: (string | Uint8Array)[]): NodeRedisPipeline;
  /** Sends the commands; replies come in their order. */
  readonly execAsPipeline: () => Promise<readonly unknown[]>;
  /** Sends the commands as a transaction. */
  readonly exec: () => Promise<readonly unknown[]>;
}

/** A second connection like the first. */
export interface NodeRedisListener {
  readonly connect: () => Promise<unknown>;
  readonly on: (event: string, listener: () => void) => unknown;
  readonly subscribe: (
    channels: string,
    listener: (message: string, channel: string) => unknown,
  ) => Promise<void>;
  readonly destroy: () => void;
}

/** The part of an `ioredis` client, or cluster, that the broker needs. */
export interface IoRedisClient extends Pick<IoRedisPairs, 'pipeline'> {
  /** A transaction; see `pipeline`. */
  readonly multi?: IoRedisPairs['pipeline'];
  /** Takes texts and Buffers; `never` fits the argument type of every client without Node's types. */
  readonly call: (command: string, args: never[]) => Promise<unknown>;
  /** Whether it is a cluster, whose options are the second argument of `duplicate`. */
  readonly isCluster?: boolean;
  /** Returns another client with the same options, which connects by itself. */
  readonly duplicate: (options?: never, ofCluster?: never) => IoRedisListener & IoRedisPairs;
}

/** Commands in one pipeline, over one connection. */
export interface IoRedisPairs extends Pick<IoRedisListener, 'on' | 'disconnect'> {
  /** Takes names and arguments; `never` as above. */
  readonly pipeline: (commands: never[]) => {
    readonly exec: () => Promise<[error: Error | null, reply: unknown][] | null>;
  };
}

/** A second connection like the first. */
interface IoRedisListener {
  readonly on: {
    (event: 'message', listener: (channel: string, message: string) => void): unknown;
    (event: 'error', listener: (error: Error) => void): unknown;
    (event: 'ready', listener: () => void): unknown;
  };
  readonly subscribe: (channel: string) => Promise<unknown>;
  readonly disconnect: () => void;
}

/** A connected client, or cluster, of `redis` or `ioredis`. */
export type RedisClient = NodeRedisClient | NodeRedisCluster | IoRedisClient;
