import type { AsyncDispose } from '@retry/core';
import type { Broker, BrokerFacts } from '@retry/core/broker';
import { checkInput, closedError } from '@retry/core/broker/kit';
import { createConnectionWarning, withoutThrowing } from './driver/connection-warning.ts';
import type { ServerReport } from './driver/doctor.ts';
import type { QueuesReport } from './driver/find-queues.ts';
import { findQueues } from './driver/find-queues.ts';
import { HEARTBEAT_CODE } from './driver/heartbeats/heartbeat-code.ts';
import type { HeartbeatOptions } from './driver/heartbeats/open-heartbeats.ts';
import { withinTimeout } from './driver/open-link.ts';
import type { ServerLink } from './driver/server-link.ts';
import { createServerLink } from './driver/server-link.ts';
import type { RedisBrokerOptions, RedisBrokerSettings } from './options.ts';
import { readOptions } from './options.ts';
import type { Part } from './partitions/create-partition.ts';
import { createPartition } from './partitions/create-partition.ts';
import { joinParts } from './partitions/join-parts.ts';
import { heartbeatScript } from './scripts/lua-code.ts';
import { createKeys } from './store/keys.ts';
import { createRetention } from './store/retention.ts';
import type { Store } from './store/store.ts';
import type { KeepingParts } from './verbs/find-expired.ts';

/** A broker on Redis or Valkey. `await using` closes it. */
export interface RedisBroker extends Broker, AsyncDispose {
  /**
   * Resolves when the server is connected and examined. Every other call waits for that, too, so that nothing runs on a
   * server where runs would not be safe; after a rejection the next call tries again.
   *
   * @throws {RedisBrokerError} when the server does not answer in time, could evict runs, or refuses rights that are needed
   */
  readonly ready: () => Promise<void>;
  /** Returns what the server reported about itself when it was examined. Rejects as `ready` does. */
  readonly server: () => Promise<ServerReport>;
  /** Returns whether this queue is there, and the prefixes of all that the server has: a prefix may be mistyped. Rejects as `ready` does. */
  readonly queues: () => Promise<QueuesReport>;
}

/**
 * Creates a broker that keeps its runs in Redis or Valkey. The first call connects to the server and examines it.
 *
 * @throws {InvalidOptionsError} for wrong options
 */
export function createRedisBroker(options: RedisBrokerOptions): RedisBroker {
  const settings = readOptions(options);
  const partitions = Array.from({ length: settings.partitions }, (_, index) =>
    createKeys(settings.prefix, index),
  );
  const { retention, noteMemory } = createRetention(settings.retention, settings.partitions);
  const server = createServerLink(settings, partitions, (report) => noteMemory(report.maxmemory));
  const onError = settings.onError ? withoutThrowing(settings.onError) : createConnectionWarning();
  const keeping = { ...settings.retention, onError };
  const parts = partitions.map((keys) => openPartition({ keys, retention }, server, keeping));
  const broker = closedLast(joinParts(parts), server);
  const { source } = settings;
  return {
    ...checkInput(broker),
    queues: async () => {
      await broker.server();
      return findQueues(server.link, settings.prefix, partitions);
    },
    facts: 'url' in source ? factsOfOwn(source.url, settings) : {},
  };
}

/** A client of the user's may be a pool, and a thread cannot have it; our own connection keeps the order of what it sends. */
function factsOfOwn(
  url: string,
  { prefix, partitions }: Pick<RedisBrokerSettings, 'prefix' | 'partitions'>,
): BrokerFacts {
  const options: HeartbeatOptions = { url, prefix, partitions, script: heartbeatScript };
  const driver = { name: 'redis', from: import.meta.url };
  const heartbeats = { source: HEARTBEAT_CODE, driver, options: () => options };
  return { heartbeats, submitsInOrder: true, ownsConnection: true };
}

function openPartition(where: Omit<Store, 'link'>, server: ServerLink, keeping: KeepingParts): Part {
  const store: Store = { link: server.link, ...where };
  return createPartition({
    store,
    durable: { ...store, link: server.durable },
    heartbeats: { ...store, link: server.heartbeats },
    keeping,
  });
}

/** Returns the broker with connections that are closed after it. */
function closedLast(broker: Broker, server: ServerLink): Omit<RedisBroker, keyof AsyncDispose | 'queues'> {
  let closing: Promise<void> | undefined;
  const examined = async (): Promise<ServerReport> => {
    if (closing !== undefined) throw closedError('Redis');
    return server.examined();
  };
  return {
    ...broker,
    ready: async () => void (await examined()),
    server: examined,
    close: () => {
      closing ??= server.close(withinTimeout(broker.close()));
      return closing;
    },
  };
}
