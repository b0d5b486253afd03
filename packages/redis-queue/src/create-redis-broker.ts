import type { Broker, Submission, SubmitAnswer } from '@retry/core/broker';
import type { ServerReport } from './doctor.ts';
import { examine } from './doctor.ts';
import { linkClient } from './driver/link-client.ts';
import { openLink } from './driver/open-link.ts';
import type { RedisLink } from './driver/redis-link.ts';
import { RedisBrokerError } from './errors.ts';
import { createGate } from './gate.ts';
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

/** How long a submit waits for the append-only file, in ms; 0 would be for ever. */
const WAIT_AOF_MS = 10_000;

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
    const parts = stores.map((store) => createBroker(store, needsWaitAof ? submitDurably : submitRuns));
    return { ...closeAfter(parts, link), server: reports[0] as ServerReport }; // there is one partition at least
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

/** The broker over all partitions; the connection is closed after them. */
function closeAfter(parts: readonly Broker[], link: RedisLink): Broker {
  const [only] = parts;
  const broker = parts.length === 1 && only !== undefined ? only : joinParts(parts);
  return {
    ...broker,
    close: once(async () => {
      await broker.close();
      await link.close();
    }),
  };
}

function createBroker(store: Store, submit: typeof submitRuns): Broker {
  const lookout = new Lookout(store, WATCHDOG);
  const { pass, close } = createGate();
  return {
    submit: (submissions) => pass(() => submit(store, submissions)),
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
      await lookout.close();
      await closing;
    }),
  };
}

async function submitDurably(
  store: Store,
  submissions: readonly Submission[],
): Promise<readonly SubmitAnswer[]> {
  const answers = await submitRuns(store, submissions);
  const key = store.keys.lanes;
  const [local = 0] = (await store.link.send(key, ['WAITAOF', '1', '0', `${WAIT_AOF_MS}`])) as number[]; // local, replicas
  if (local >= 1) return answers;
  const message = `The append-only file did not take ${submissions.length} runs within ${WAIT_AOF_MS} ms. They are kept; submit them again to be sure.`;
  throw new RedisBrokerError('REDIS_NOT_DURABLE', message);
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= action();
    return done;
  };
}
