import type { RetentionOptions, RetentionSettings } from '@retry/core/broker/kit';
import {
  RETENTION_KEYS,
  RETENTION_SYNONYMS,
  readBrokerOptions,
  readRetention,
  textProblem,
} from '@retry/core/broker/kit';
import type { Fields, Report, Synonyms } from '@retry/core/fields';
import { A_FUNCTION } from '@retry/core/fields';
import type { RedisClient } from './driver/redis-client.ts';

/**
 * Options of a Redis broker: a `url`, or a `client`. With more partitions than one, `keepCompleted.count` is of each partition,
 * `keepCompleted.bytes` of all together. Of 100 and more, up to a hundredth more runs are kept (100 at most), because several are
 * forgotten at a time.
 */
export interface RedisBrokerOptions extends RetentionOptions {
  /** The server; the broker opens connections by the package `redis`, and closes them. A unix socket needs a `client`. */
  readonly url?: string | undefined;
  /** A connected client or cluster, of `redis` or `ioredis`; it stays open when the broker closes. */
  readonly client?: RedisClient | undefined;
  /** The prefix of the keys: brokers of one prefix share their runs. @default 'retry' */
  readonly prefix?: string | undefined;
  /**
   * The number of hash slots that the queue is spread over, for a Cluster where one node is not enough: 1 to 256, the same
   * for every broker of the queue, and never changed. With more than one, lanes keep their order within each partition only, and
   * concurrency keys are refused. Runs whose ids have the same text between the first `{` and the next `}` share a partition.
   *
   * @default 1
   */
  readonly partitions?: number | undefined;
  /**
   * `server`: a submit resolves when the server has the run; the server's settings decide what survives a crash.
   * `wait-aof`: a submit resolves when the server has also written the run to its append-only file (Redis 7.2).
   *
   * @default 'server'
   */
  readonly durability?: 'server' | 'wait-aof' | undefined;
  /** Accepts a server that may evict runs when memory is short. @default false */
  readonly allowEviction?: boolean | undefined;
  /**
   * Called with errors of connections that the broker opened, which reconnect by themselves, and with `FORGETTING_FAILED`. What it throws
   * is a process warning.
   *
   * @default a process warning, `RETRY_UNHANDLED_ERROR`, one a minute at most
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Options with their defaults. */
export interface RedisBrokerSettings {
  readonly source: { readonly url: string } | { readonly client: RedisClient };
  readonly prefix: string;
  readonly partitions: number;
  /** Without `keepBytes`: a share of the server's memory. */
  readonly retention: RetentionSettings;
  readonly durability: 'server' | 'wait-aof';
  readonly allowEviction: boolean;
  readonly onError: ((error: unknown) => void) | undefined;
}

const KEYS = [
  ...['url', 'client', 'prefix', 'partitions', ...RETENTION_KEYS, 'durability', 'allowEviction', 'onError'],
];
/** Names of our keys elsewhere. */
const SYNONYMS: Synonyms = [
  [/^(redis|ioredis|connection|cluster|nodes|createClient|driver)$/, 'client'],
  [/^(connectionString|redisUrl|uri|host|port)$/, "url: 'redis://host:6379'"],
  [/^(user(name)?|password|tls|db|database)$/, "url: 'rediss://user:password@host:6379/0'"],
  [/^(namespace|keyPrefix|queue(Name)?|name)$/, 'prefix'],
  ...RETENTION_SYNONYMS,
];

const SOCKET_CURE =
  "For a unix socket pass a connected client: createClient({ socket: { path: '/run/redis.sock' } }) of redis.";

const SENTINEL_CURE = 'Use new Redis({ sentinels, name }) of ioredis, which follows a failover.';

const CURES = {
  path: SOCKET_CURE,
  socket: SOCKET_CURE,
  sentinels: SENTINEL_CURE,
};

/** Checks options and fills in the defaults. @throws {InvalidOptionsError} listing every problem, without passwords */
export function readOptions(options: RedisBrokerOptions): RedisBrokerSettings {
  return readBrokerOptions(
    options,
    { subject: 'Redis broker', keys: KEYS, synonyms: SYNONYMS, cures: CURES, bare: BARE_CLIENT },
    readSettings,
  );
}

function readSettings(fields: Fields, report: Report): RedisBrokerSettings {
  return {
    source: readSource(fields),
    prefix: readPrefix(fields),
    partitions: fields.number('partitions', 1, {
      accepts: (count) => Number.isInteger(count) && count >= 1 && count <= 256,
      message: 'must be a whole number from 1 to 256',
      cure: 'Use 1, unless one node of a Cluster is not enough.',
    }),
    retention: readRetention(fields, report),
    durability: fields.choice('durability', 'server', ['server', 'wait-aof']),
    allowEviction: fields.choice('allowEviction', false, [false, true]),
    onError: fields.optional('onError', A_FUNCTION) as RedisBrokerOptions['onError'], // called with one argument
  };
}

function readPrefix({ value, fail }: Fields): string {
  const prefix = value('prefix') ?? 'retry';
  const problem = textProblem(value('prefix') === null ? null : prefix);
  const message = problem ?? (/[{}]/.test(String(prefix)) ? 'must be a text without braces' : undefined);
  if (message !== undefined) fail('prefix', message, "Use prefix: 'retry'.");
  return String(prefix);
}

function readSource({ value, fail }: Fields): RedisBrokerSettings['source'] {
  const url = value('url');
  const client = value('client');
  if ((url === undefined) === (client === undefined)) {
    fail(
      '',
      'needs a url or a client, and not both',
      url === undefined
        ? 'Use createRedisBroker({ url }), or createRedisBroker({ client }).'
        : 'Leave one of them out.',
    );
  } else if (url !== undefined && !isRedisUrl(url)) {
    fail('url', 'must be a Redis URL', isSocket(url) ? SOCKET_CURE : URL_CURE);
  } else if (url !== undefined && /[?#]/.test(String(url))) {
    fail('url', 'must have no ? and no #: what follows would be ignored', UNREAD_CURE);
  } else if (url === undefined && isSentinel(client)) {
    fail('client', 'must not be a sentinel of redis', SENTINEL_CURE);
  } else if (url === undefined && !isClient(client)) {
    fail(
      'client',
      'must be a client or cluster of redis or ioredis',
      'Use createRedisBroker({ url }) instead.',
    );
  }
  return url === undefined ? { client: client as RedisClient } : { url: url as string }; // otherwise a problem was reported
}

const URL_CURE =
  'Use redis://user:password@host:port/0, or rediss:// for TLS, with encodeURIComponent(password).';

const UNREAD_CURE =
  'Write the database as /0, and a password by encodeURIComponent(password). Other options need a client: createClient({ url, … }).';

function isSocket(url: unknown): boolean {
  return typeof url === 'string' && /^(?:\/|[\w+]*(?:unix|socket):)/i.test(url);
}

function isRedisUrl(url: unknown): boolean {
  if (typeof url !== 'string') return false;
  try {
    const { protocol, username, password, pathname } = new URL(url);
    decodeURIComponent(username);
    decodeURIComponent(password);
    return /^rediss?:$/.test(protocol) && /^(?:\/\d*)?$/.test(pathname);
  } catch {
    return false;
  }
}

const BARE_CLIENT = { accepts: isClient, cure: 'Use createRedisBroker({ client }).' };

function isClient(client: unknown): client is RedisClient {
  if (typeof client !== 'object' || client === null) return false;
  try {
    const { sendCommand, call, duplicate } = client as Readonly<Record<string, unknown>>; // checked just below
    return (
      typeof duplicate === 'function' && (typeof call === 'function' || typeof sendCommand === 'function')
    );
  } catch {
    return false; // a Proxy that throws
  }
}

/** Its `sendCommand` takes other arguments than that of a client. */
function isSentinel(client: unknown): boolean {
  return isClient(client) && 'getSentinelNode' in client;
}
