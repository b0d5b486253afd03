import type { AsyncDispose } from '@retry/core';
import type { Broker, BrokerFacts, Notes } from '@retry/core/broker';
import type { AttendanceSource } from '@retry/core/broker/kit';
import { attendBy, checkInput, createCloseGate, figuresBy, getBy } from '@retry/core/broker/kit';
import { createConnectionWarning, withoutThrowing } from './driver/connection-warning.ts';
import type { Database } from './driver/database.ts';
import { openDatabase } from './driver/database.ts';
import { HEARTBEAT_CODE } from './driver/heartbeats/heartbeat-code.ts';
import type { HeartbeatOptions } from './driver/heartbeats/open-heartbeats.ts';
import type { OwnHeartbeats } from './driver/heartbeats/own-heartbeats.ts';
import { openOwnHeartbeats } from './driver/heartbeats/own-heartbeats.ts';
import { openPool, withinTimeout } from './driver/open-pool.ts';
import { isRefusal } from './driver/refusal.ts';
import { hasOwnPool, urlOfClient } from './driver/users-client/own-pool.ts';
import { listenToErrors } from './driver/users-client/pool-errors.ts';
import { createTurns, inTurns } from './driver/users-client/turns.ts';
import { useClient } from './driver/users-client/users-client.ts';
import type { PostgresBrokerOptions, PostgresBrokerSettings } from './options.ts';
import { readOptions } from './options.ts';
import { ClaimMemory } from './record/claim-memory.ts';
import { Retention } from './record/retention.ts';
import type { TransactionBroker } from './transaction/within.ts';
import { brokerWithin } from './transaction/within.ts';
import { countDepths } from './verbs/attend.ts';
import { auditRuns } from './verbs/audit.ts';
import { changeRuns } from './verbs/change.ts';
import type { ExchangePort } from './verbs/exchange.ts';
import { exchange } from './verbs/exchange.ts';
import { createFigures, readLaneNames } from './verbs/figures.ts';
import { createFindExpired } from './verbs/find-expired.ts';
import { getRuns, readRuns } from './verbs/get.ts';
import { readLeases } from './verbs/heartbeat.ts';
import { listRuns } from './verbs/list.ts';
import { createNotes } from './verbs/notes.ts';
import { reserveStarts } from './verbs/reserve.ts';
import { hasUnique, submitRuns, submitUnique } from './verbs/submit.ts';
import { exchangeUnlocked, submitUnlocked } from './verbs/when-locked.ts';
import type { Notifications } from './wake/notifications.ts';
import { openNotifications, WaitingNotice } from './wake/notifications.ts';
import { canListen } from './wake/subscription.ts';
import { ResultWaits, WorkWaits } from './wake/waits.ts';

/** A broker whose submissions and settlements can join a transaction of the user's. `await using` closes it. */
export interface PostgresBroker extends Broker, AsyncDispose {
  /**
   * Resolves when the schema is there and fits this version of the package, and the server takes writes. Every other call waits
   * for the schema; this one lets a program fail at its start.
   *
   * @throws {PostgresBrokerError} `OLDER_SCHEMA`: call `migrate` first; `NEWER_SCHEMA`: upgrade this package;
   *   `MISSING_RIGHTS`: grant what the message lists; `READ_ONLY_SERVER`: connect to the primary; `NARROW_ENCODING`: use a
   *   database of UTF-8; `CHANGED_REPLY`: use a client without parsers of its own for text; `POSTGRES_UNREACHABLE`: start the server
   */
  readonly ready: () => Promise<void>;
  /**
   * Returns the same broker inside a transaction, given the client that began it: what is submitted and settled there
   * holds when the transaction commits, and never happened when it is rolled back.
   *
   * @throws {InvalidOptionsError} for a transaction without `query`
   */
  readonly within: (transaction: unknown) => TransactionBroker;
}

/**
 * Creates a broker that keeps its runs in Postgres, or in PGlite. The schema has to be there: see {@link migrate}.
 *
 * @throws {InvalidOptionsError} for wrong options
 */
export function createPostgresBroker(options: PostgresBrokerOptions): PostgresBroker {
  const settings = readOptions(options);
  const { client, calls, onError, close: closeClient } = openClient(settings);
  const database = openDatabase(calls, settings.schema);
  const notifications = openNotifications(client, settings);
  const heartbeats = openOwnHeartbeats({ client, database, schema: settings.schema, onError });
  const port = openPort(settings, notifications, { database, heartbeats });
  const { workWaits, resultWaits } = port;
  const waits = createCloseGate('Postgres');
  const closeOnce = async (): Promise<void> => {
    const leave = async (): Promise<void> => {
      await Promise.all([waits.close(), port.close(), heartbeats.close()]);
      await database.close();
      await notifications.close();
    };
    const isQuiet = await withinTimeout(leave());
    if (!isQuiet) void database.close(); // rejects later calls, whatever leaving waits for
    await closeClient(isQuiet);
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= closeOnce();
    return closing;
  };
  return checkInput<Omit<PostgresBroker, keyof AsyncDispose>>({
    ready: () => database.ready(),
    ...verbs(port, settings, onError),
    wait: (request) =>
      waits.pass(() => (request.lanes === undefined ? resultWaits.wait(request) : workWaits.wait(request))),
    ...{ isRefusal, close },
    facts: factsOf(settings),
    within: (transaction) => brokerWithin(transaction, settings),
  });
}

/** Returns what the broker says about its connection. */
function factsOf(settings: PostgresBrokerSettings): BrokerFacts {
  const heartbeats = heartbeatsOf(settings);
  return {
    ...(settings.url !== undefined && { ownsConnection: true }),
    ...(heartbeats !== undefined && { heartbeats }),
  };
}

/** How another thread connects: by a URL, the broker's or that of the user's pool. A database in this process is for its thread alone. */
function heartbeatsOf({ url, client, schema }: PostgresBrokerSettings): BrokerFacts['heartbeats'] {
  if (client !== undefined && canListen(client)) return 'not-needed';
  if (client !== undefined && !hasOwnPool(client)) return 'shared-client';
  const connectionString = url ?? (client && urlOfClient(client));
  if (connectionString === undefined) return undefined;
  const options: HeartbeatOptions = { url: connectionString, schema };
  const driver = { name: 'pg', from: import.meta.url };
  return { source: HEARTBEAT_CODE, driver, options: () => options };
}

/** Takes the user's client, or opens a pool by the URL. */
function openClient({ client, url, connections, ...settings }: PostgresBrokerSettings) {
  const given = settings.onError && withoutThrowing(settings.onError);
  const onError = given ?? createConnectionWarning();
  if (client !== undefined) {
    const stopListening = listenToErrors(client, given);
    return { client, calls: useClient(client, connections), onError, close: async () => stopListening() };
  }
  const pool = openPool(url ?? '', connections, onError);
  return { client: pool, calls: inTurns(pool, createTurns(connections)), onError, close: pool.close };
}

/** What the verbs of a broker work with. */
interface Port extends ExchangePort {
  readonly heartbeats: OwnHeartbeats;
  /** Ends every wait, and withdraws the notices of this process. */
  readonly close: () => Promise<void>;
}

function openPort(
  settings: PostgresBrokerSettings,
  notifications: Notifications,
  { database, heartbeats }: Pick<Port, 'heartbeats'> & { readonly database: Database },
): Port {
  const memory = new ClaimMemory();
  const workNotice = new WaitingNotice(database, notifications, 'work');
  const resultNotice = new WaitingNotice(database, notifications, 'results');
  const workWaits = new WorkWaits(database, memory, workNotice);
  const resultWaits = new ResultWaits(resultNotice);
  notifications.onNotification((notification) => {
    if (notification === undefined) workWaits.pollAll();
    else workWaits.notify(notification);
    if (notification?.results !== false) resultWaits.wake();
  });
  return {
    ...{ database, heartbeats, memory, workWaits, resultWaits },
    retention: new Retention(settings.retention),
    close: async () => {
      workWaits.close();
      resultWaits.wake();
      await Promise.all([workNotice.close(), resultNotice.close()]);
    },
  };
}

function verbs(
  port: Port,
  { retention, schema }: PostgresBrokerSettings,
  onError: (error: unknown) => void,
): Omit<Broker, 'ready' | 'wait' | 'isRefusal' | 'close'> {
  const { database } = port;
  const notes = createNotes(port);
  const list: Broker['list'] = (query) => listRuns(database, schema, query);
  const get = getBy({
    runs: (ids, options) => getRuns(database, ids, options),
    seen: (ids) => readRuns(database, ids),
  });
  const change: Broker['change'] = (changes, options) =>
    changeRuns({ ...port, keepKeysMs: retention.keepKeysMs }, changes, options);
  return {
    submit: (submissions, { whenLocked = 'wait' } = {}) => {
      if (whenLocked === 'answer') return submitUnlocked(port, submissions);
      return (hasUnique(submissions) ? submitUnique : submitRuns)(port, submissions);
    },
    exchange: (request) => (request.whenLocked === 'answer' ? exchangeUnlocked : exchange)(port, request),
    heartbeat: (beats, leaseMs) =>
      leaseMs > 0 ? port.heartbeats.heartbeat(beats, leaseMs) : readLeases(database, beats),
    findExpired: createFindExpired({ ...port, list, get, change }, { ...retention, onError }),
    ...{ get, change },
    notes,
    reserve: (requests) => reserveStarts(database, requests),
    list,
    attend: (attendance) => attendBy(attendanceSource(database, notes), attendance),
    audit: () => auditRuns(database),
    figures: figuresBy(createFigures(database, schema, notes)),
  };
}

/** What is known of lanes and workers. */
function attendanceSource(database: Database, notes: Notes): AttendanceSource {
  return {
    notes,
    names: () => readLaneNames(database),
    depths: (lanes) => countDepths(database, lanes),
  };
}
