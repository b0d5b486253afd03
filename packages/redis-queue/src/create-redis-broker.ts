import type { Broker } from '@retry/core/broker';
import { checkInput, keepableMs } from '@retry/core/broker';
import { createConnectionWarning } from './connection-warning.ts';
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
import { isRefusal } from './refusal.ts';
import { checkRights, guardRights } from './rights.ts';
import { createLastError, noteErrorsOf, startInTime } from './start-in-time.ts';
import type { Store } from './store.ts';
import { attend } from './verbs/attend.ts';
import { auditRuns } from './verbs/audit.ts';
import { exchangeRuns } from './verbs/exchange.ts';
import { listRuns } from './verbs/list.ts';
import { beat, cancelRuns, discardRuns, findCancelRequests } from './verbs/move-runs.ts';
import { findExpiredRuns, getRuns } from './verbs/read-runs.ts';
import { redriveRuns } from './verbs/redrive.ts';
import { createSubmit } from './verbs/submit.ts';
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
 * @throws {InvalidOptionsError} for wrong options
 * @throws {RedisBrokerError} for a server that is not there, or where runs would not be safe, or too few rights
 */
export async function createRedisBroker(options: RedisBrokerOptions): Promise<RedisBroker> {
  const settings = readOptions(options);
  const { source } = settings;
  const lastError = createLastError();
  if ('client' in source) {
    const link = linkClient(source.client);
    return noteErrorsOf(source.client, lastError, startInTime(startOver(link, settings), lastError));
  }
  // Until the broker has started its errors are those of this call.
  let onError = settings.onError;
  const { link, connected } = await openLink(source.url, (error) => {
    lastError.note(error);
    onError?.(error);
  });
  try {
    const broker = await startInTime(
      connected.then(() => startOver(link, settings)),
      lastError,
    );
    onError ??= createConnectionWarning();
    return broker;
  } catch (error) {
    // A server that does not answer is not waited for.
    void link.close().catch(() => {});
    throw error;
  }
}

/** Examines the server, and begins. */
async function startOver(link: RedisLink, settings: RedisBrokerSettings): Promise<RedisBroker> {
  const { partitions, durability, allowEviction, source } = settings;
  const stores = Array.from({ length: partitions }, (_, index) => createStore(link, settings, index));
  const needsWaitAof = durability === 'wait-aof';
  const demands = { allowEviction, needsWaitAof };
  const reports = await Promise.all(
    stores.map(async ({ keys }) => {
      await checkRights(link, keys);
      return examine(link, keys.lanes, demands);
    }),
  );
  const durable = needsWaitAof ? await openDurable(link) : link;
  const parts = stores.map((store) => createBroker(store, { ...store, link: durable }));
  const broker = closeAfter(parts, () => closeLinks(link, durable));
  const server = reports[0] as ServerReport; // there is one partition at least
  // A client of the user's may be a pool; a connection of our own keeps the order of what it sends.
  const isOwn = 'url' in source;
  return { ...checkInput(broker), submitsInOrder: isOwn, ownsConnection: isOwn, server };
}

function createStore(
  link: RedisLink,
  { prefix, keepCompleted, keepKeysMs }: RedisBrokerSettings,
  partition: number,
): Store {
  const keep = keepCompleted === Infinity ? '-1' : `${Math.floor(keepCompleted)}`;
  return { link, keys: createKeys(prefix, partition), retention: [keep, `${keepableMs(keepKeysMs)}`] };
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
  const gate = createGate();
  const guard = guardRights(store);
  const pass = <Answer>(call: () => Promise<Answer>): Promise<Answer> => gate.pass(() => guard(call));
  const submitRuns = createSubmit(durable);
  return {
    submit: (submissions) => pass(() => submitRuns(submissions)),
    settleAndClaim: (request) => pass(() => exchangeRuns(store, request)),
    heartbeat: (beats, leaseMs) => pass(() => beat(store, beats, leaseMs)),
    findExpired: (limit, scope) => pass(() => findExpiredRuns(store, limit, scope)),
    cancel: (ids) => pass(() => cancelRuns(store, ids)),
    findCancelRequests: (leases) => pass(() => findCancelRequests(store, leases)),
    redrive: (ids, options) => pass(() => redriveRuns(store, ids, options)),
    discard: (ids) => pass(() => discardRuns(store, ids)),
    get: (ids, options) => pass(() => getRuns(store, ids, options)),
    list: (query) => pass(() => listRuns(store, query)),
    waitForWork: (lanes, wait) => pass(() => lookout.waitForWork(lanes, wait)),
    waitForResult: (wait) => pass(() => lookout.waitForResult(wait)),
    attend: (attendance) => pass(() => attend(store, attendance)),
    audit: () => pass(() => auditRuns(store)),
    isRefusal,
    close: once(async () => {
      const closing = gate.close();
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
