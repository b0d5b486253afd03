/** The part of a `redis` (node-redis 5 or 6) client that the broker needs. */
export interface NodeRedisClient {
  readonly sendCommand: (args: readonly (string | Buffer)[]) => Promise<unknown>;
  readonly duplicate: () => NodeRedisListener;
}

/** The part of a `redis` cluster that the broker needs. */
export interface NodeRedisCluster {
  /** How a cluster is told from a client. */
  readonly slots: unknown;
  readonly sendCommand: (
    firstKey: string | Buffer | undefined,
    isReadonly: boolean | undefined,
    args: (string | Buffer)[],
  ) => Promise<unknown>;
  readonly duplicate: () => NodeRedisListener;
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
export interface IoRedisClient {
  readonly call: (command: string, ...args: (string | Buffer)[]) => Promise<unknown>;
  readonly duplicate: () => IoRedisListener;
}

/** A second connection like the first. */
export interface IoRedisListener {
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
