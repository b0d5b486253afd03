import type { Broker } from '@retry/core/broker';
import type { ServerReport } from './doctor.ts';
import { examine } from './doctor.ts';
import { linkClient } from './driver/link-client.ts';
import { openLink } from './driver/open-link.ts';
import type { RedisLink } from './driver/redis-link.ts';
import { openDurable } from './durable.ts';
import { createGate } from './gate.ts';
import { inTime } from './in-time.ts';
import { createKeys } from './keys.ts';
import type { RedisBrokerOptions, RedisBrokerSettings } from './options.ts';
import { readOptions } from './options.ts';
import { joinParts } from './partitions/join-parts.ts';
import type { Store } from './store.ts';
import { auditRuns } from './verbs/audit.ts';
import { exchangeRuns } from './verbs/exchange.ts';
import { listRuns } from './verbs/list.ts';
import { beat, cancelRuns, discardRuns } from './verbs/move-runs.ts';
import { findExpiredRuns, getRuns } from './verbs/read-runs.ts';
import { redriveRuns } from './verbs/redrive.ts';
import { submitRuns } from './verbs/submit.ts';
import { Lookout } from './wake/lookout.ts';

/** A broker over Redis or Valkey. */
export interface RedisBroker extends Broker {
  /** What the server said of itself at the start. */
  readonly server: ServerReport;
}

/** A connection that hears nothing of itself for this long is replaced, in ms. */
const WATCHDOG = { everyMs: 5_000, patienceMs: 2_500 };

/**
 * Opens a broker over a server, after an examination of it.
 *
 * @throws {RedisBrokerError} for wrong options, or a server where runs would not be safe
 */
export async function createRedisBroker(options: RedisBrokerOptions): Promise<RedisBroker> {
  const settings = readOptions(options);
  const link = await openSource(settings);
  const stores = Array.from({ length: settings.partitions }, (_, index) =>
    createStore(link, settings, index),
  );
  const needsWaitAof = settings.durability === 'wait-aof';
  const demands = { allowEviction: settings.allowEviction, needsWaitAof };
  try {
    const reports = await Promise.all(stores.map(({ keys }) => examine(link, keys.lanes, demands)));
    const durable = needsWaitAof ? await openDurable(link) : link;
    const parts = stores.map((store) => createBroker(store, { ...store, link: durable }));
    const closeAll = () => closeLinks(link, durable);
    const server = reports[0] as ServerReport; // there is one partition at least
    // A client of the user's may be a pool; a connection of our own keeps the order of what it sends.
    return { ...closeAfter(parts, closeAll), submitsInOrder: 'url' in settings.source, server };
  } catch (error) {
    await link.close();
    throw error;
  }
}

function openSource({ source, onError }: RedisBrokerSettings): RedisLink | Promise<RedisLink> {
  return 'url' in source ? openLink(source.url, onError) : linkClient(source.client);
}

function createStore(
  link: RedisLink,
  { prefix, keepCompleted }: RedisBrokerSettings,
  partition: number,
): Store {
  const keep = keepCompleted === Infinity ? '-1' : `${Math.floor(keepCompleted)}`;
  return { link, keys: createKeys(prefix, partition), keep };
}

async function closeLinks(link: RedisLink, durable: RedisLink): Promise<void> {
  await Promise.allSettled(durable === link ? [link.close()] : [link.close(), durable.close()]);
}

/** The broker over all partitions; connections are closed after them. */
function closeAfter(parts: readonly Broker[], closeAll: () => Promise<void>): Broker {
  const [only] = parts;
  const broker = parts.length === 1 && only !== undefined ? only : joinParts(parts);
  return {
    ...broker,
    close: once(async () => {
      await inTime(broker.close());
      await closeAll();
    }),
  };
}

function createBroker(store: Store, durable: Store): Broker {
  const lookout = new Lookout(store, WATCHDOG);
  const { pass, close } = createGate();
  return {
    submit: (submissions) => pass(() => submitRuns(durable, submissions)),
    exchange: (request) => pass(() => exchangeRuns(store, request)),
    heartbeat: (beats, leaseMs) => pass(() => beat(store, beats, leaseMs)),
    findExpired: (limit) => pass(() => findExpiredRuns(store, limit)),
    cancel: (ids) => pass(() => cancelRuns(store, ids)),
    redrive: (ids, options) => pass(() => redriveRuns(store, ids, options)),
    discard: (ids) => pass(() => discardRuns(store, ids)),
    get: (ids) => pass(() => getRuns(store, ids)),
    list: (query) => pass(() => listRuns(store, query)),
    waitForWork: (lanes, wait) => pass(() => lookout.waitForWork(lanes, wait)),
    audit: () => pass(() => auditRuns(store)),
    close: once(async () => {
      const closing = close();
      lookout.close();
      await closing;
    }),
  };
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= action();
    return done;
  };
}
