import type { RedisClient } from './driver/redis-client.ts';
import { RedisBrokerError } from './errors.ts';

/** Options of a Redis broker: a `url`, or a `client`. */
export interface RedisBrokerOptions {
  /** Where the server is; the broker opens a connection by `redis`, and closes it. */
  readonly url?: string;
  /** A connected client or cluster, of `redis` or `ioredis`; it stays open when the broker closes. */
  readonly client?: RedisClient;
  /** The queue: brokers of one prefix share their runs. @default 'retry' */
  readonly prefix?: string;
  /**
   * Over how many hash slots the queue is spread, for a Cluster where one node is not enough; 1 to 256, the same for
   * every broker of the queue, for ever. With more than one, lanes keep their order within each partition only, and
   * concurrency keys are refused.
   *
   * @default 1
   */
  readonly partitions?: number;
  /**
   * How many completed, cancelled, dropped and disposable runs are kept, the latest of each partition, ≥ 0; `Infinity` keeps all.
   * Other runs that failed, stalled or were rate limited are kept until they are redriven or discarded.
   *
   * @default 1000
   */
  readonly keepCompleted?: number;
  /**
   * `server`: a submit resolves when the server has the run; what survives its crash is up to its settings.
   * `wait-aof`: it resolves when the server has also written it to its append-only file (Redis 7.2).
   *
   * @default 'server'
   */
  readonly durability?: 'server' | 'wait-aof';
  /** Starts although the server may evict runs when memory is short. @default false */
  readonly allowEviction?: boolean;
  /** Told of errors of a connection that the broker opened; it goes on to reconnect. */
  readonly onError?: (error: unknown) => void;
}

/** Options with their defaults. */
export interface RedisBrokerSettings extends Required<Omit<RedisBrokerOptions, 'url' | 'client'>> {
  readonly source: { readonly url: string } | { readonly client: RedisClient };
}

/** Checks options and fills in the defaults. @throws {RedisBrokerError} saying what is wrong */
export function readOptions(options: RedisBrokerOptions): RedisBrokerSettings {
  const { url, client, prefix = 'retry', keepCompleted = 1_000, durability = 'server' } = options;
  const { allowEviction = false, onError = () => {}, partitions = 1 } = options;
  if (prefix === '' || /[{}]/.test(prefix))
    refuse(`prefix must be a text without braces, got ${JSON.stringify(prefix)}. Use prefix: 'retry'.`);
  if (!(keepCompleted >= 0)) refuse(`keepCompleted must be ≥ 0, got ${keepCompleted}. Use 0 to keep none.`);
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > 256)
    refuse(`partitions must be a whole number from 1 to 256, got ${partitions}. Use 1.`);
  const rest = { prefix, partitions, keepCompleted, durability, allowEviction, onError };
  if (url !== undefined && client === undefined) return { ...rest, source: { url } };
  if (client !== undefined && url === undefined) return { ...rest, source: { client } };
  return refuse('A broker needs a url or a client, and not both. Use createRedisBroker({ url }).');
}

function refuse(message: string): never {
  throw new RedisBrokerError('INVALID_OPTIONS', message);
}
