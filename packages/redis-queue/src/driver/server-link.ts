import { hideSecrets } from '@retry/core/broker/kit';
import type { RedisBrokerSettings } from '../options.ts';
import type { Keys } from '../store/keys.ts';
import { createConnectionWarning, withoutThrowing } from './connection-warning.ts';
import type { Requirements, ServerReport } from './doctor.ts';
import { examine, isMoved, needsCluster } from './doctor.ts';
import { openDurable } from './durable.ts';
import type { HeartbeatLink } from './heartbeats/heartbeat-link.ts';
import { openHeartbeatLink } from './heartbeats/heartbeat-link.ts';
import { linkClient, transactionsOf } from './link-client.ts';
import { openLink } from './open-link.ts';
import type { Opening } from './open-once.ts';
import { openOnce } from './open-once.ts';
import type { RedisClient } from './redis-client.ts';
import type { RedisLink, Subscriber } from './redis-link.ts';
import { checkRights } from './rights.ts';
import type { LastError } from './start-in-time.ts';
import { createLastError, startInTime } from './start-in-time.ts';

/** The server of a broker: connected and examined at the first call. */
export interface ServerLink {
  /** Its commands wait until the server is examined, and reject with what is wrong with it. */
  readonly link: RedisLink;
  /** A link whose commands resolve only when their writes are as durable as the options require. */
  readonly durable: RedisLink;
  /** The link of heartbeats: beside a client of the user's they have a connection of their own. */
  readonly heartbeats: HeartbeatLink;
  /**
   * Returns what the server reported. After a rejection the next call tries again.
   *
   * @throws {RedisBrokerError} when the server does not answer in time, runs would not be safe there, or rights are missing
   */
  readonly examined: () => Promise<ServerReport>;
  /** Stops connecting, and closes the connections once the work under way has ended. */
  readonly close: (underWay: Promise<void>) => Promise<void>;
}

interface OpenServer {
  readonly link: RedisLink;
  readonly durable: RedisLink;
  readonly report: ServerReport;
}

/** Creates the link to the server that the options name, for a queue of these partitions. @param onExamined - called before its first command */
export function createServerLink(
  given: RedisBrokerSettings,
  partitions: readonly Keys[],
  onExamined: (report: ServerReport) => void,
): ServerLink {
  const closing = new AbortController();
  const { source } = given;
  // Once for all connections: its warnings are rare.
  const settings = { ...given, onError: given.onError && withoutThrowing(given.onError) };
  const hasTransactions = 'url' in source || transactionsOf(source.client).sendAll !== undefined;
  const server = openOnce(
    () => openServer(settings, partitions, closing.signal),
    (opened) => {
      onExamined(opened.report);
      shorten(link, opened.link);
      shorten(durable, opened.durable);
    },
  );
  const link = waitingLink(server.open, 'link', hasTransactions);
  const durable = waitingLink(server.open, 'durable', hasTransactions && settings.durability !== 'wait-aof');
  const heartbeats =
    'url' in source ? link : openHeartbeatLink(link, settings.onError ?? createConnectionWarning());
  return {
    ...{ link, durable, heartbeats },
    examined: async () => (await server.open()).report,
    close: async (underWay) => {
      closing.abort();
      await underWay;
      await heartbeats.close();
      const opened = await server.opening()?.catch(() => undefined);
      if (opened !== undefined) await closeLinks(opened);
    },
  };
}

async function closeLinks({ link, durable }: OpenServer): Promise<void> {
  await Promise.allSettled(durable === link ? [link.close()] : [link.close(), durable.close()]);
}

/**
 * A link that opens at its first command. Commands leave in the order of their calls: those that wait for the server
 * leave together when it is open, before any later one.
 */
function waitingLink(
  open: Opening<OpenServer>['open'],
  kind: 'link' | 'durable',
  hasTransactions: boolean,
): RedisLink {
  const sendAll: RedisLink['sendAll'] = async (key, commands) =>
    (await (await open())[kind].sendAll?.(key, commands)) ?? [];
  return {
    ...(hasTransactions && { sendAll }),
    send: (key, args) => open().then((server) => server[kind].send(key, args)),
    ask: async (key, args) => (await open())[kind].ask(key, args),
    openSecond: async (closing) => (await open())[kind].openSecond(closing),
    listen: (onMessage, onBack) => {
      const listening = open().then((server) => server[kind].listen(onMessage, onBack));
      return waitingSubscriber(listening);
    },
    close: async () => {},
  };
}

/**
 * Lets each command go to the open link itself from now on. It has to be called before anyone who waited for that goes on: a new command
 * would overtake those that wait.
 */
function shorten(waiting: RedisLink, { send, sendAll, isConnected, leave }: RedisLink): void {
  Object.assign(
    waiting,
    { send },
    sendAll && { sendAll },
    isConnected && { isConnected },
    leave && { leave },
  );
}

function waitingSubscriber(listening: Promise<Subscriber>): Subscriber {
  return {
    subscribe: async (channel) => (await listening).subscribe(channel),
    destroy: () =>
      void listening.then(
        (subscriber) => subscriber.destroy(),
        () => {}, // there is no connection to end
      ),
  };
}

async function openServer(
  settings: RedisBrokerSettings,
  partitions: readonly Keys[],
  closing: AbortSignal,
): Promise<OpenServer> {
  const { source } = settings;
  const lastError = createLastError();
  const start = (link: RedisLink, abandoned: AbortSignal) =>
    examineAll(link, { settings, partitions, abandoned });
  if ('client' in source) {
    const link = linkClient(source.client);
    const starting = startInTime((abandoned) => start(link, abandoned), lastError, closing);
    return noteErrorsOf(source.client, lastError, starting);
  }
  let { onError } = settings;
  const { link, connected } = await openLink(source.url, (error) => {
    lastError.note(error);
    onError?.(error);
  });
  try {
    const server = await startInTime(
      (abandoned) => connected.then(() => start(link, abandoned)),
      lastError,
      closing,
    );
    // Before that, this call rejects with the errors of the connection.
    onError ??= createConnectionWarning();
    return server;
  } catch (error) {
    // Not awaited: the server may not answer.
    void link.close().catch(() => {});
    throw error;
  }
}

/** One start, which opens nothing any more once it is abandoned. */
interface Start {
  readonly settings: RedisBrokerSettings;
  readonly partitions: readonly Keys[];
  readonly abandoned: AbortSignal;
}

async function examineAll(
  link: RedisLink,
  { settings: { source, durability, allowEviction }, partitions, abandoned }: Start,
): Promise<OpenServer> {
  const needsWaitAof = durability === 'wait-aof';
  const isCluster = 'client' in source && isClusterClient(source.client);
  const required = { isCluster, allowEviction, needsWaitAof };
  const reports = await Promise.all(partitions.map((keys) => examinePart(link, keys, required)));
  const durable = needsWaitAof ? await openDurable(link, abandoned) : link;
  const report = reports[0] as ServerReport; // there is one partition at least
  return { link, durable, report };
}

async function examinePart(link: RedisLink, keys: Keys, required: Requirements): Promise<ServerReport> {
  try {
    await checkRights(link, keys);
    return await examine(link, keys.of.lanes, required);
  } catch (error) {
    throw !required.isCluster && isMoved(error) ? needsCluster(error) : error;
  }
}

function isClusterClient(client: RedisClient): boolean {
  return 'slots' in client || ('isCluster' in client && client.isCluster === true);
}

/** Notes the errors of the user's client while `work` lasts. The first commands of a connection contain its password. */
async function noteErrorsOf<Outcome>(
  client: RedisClient,
  { note }: LastError,
  work: Promise<Outcome>,
): Promise<Outcome> {
  const stop = noteErrors(client, note);
  try {
    return await work;
  } catch (error) {
    throw hasCredentials(error) ? withoutSecrets(error, []) : error;
  } finally {
    stop();
  }
}

/** What notes the errors of a user's client, and how its one listener is removed. */
interface Listening {
  readonly notes: Set<LastError['note']>;
  readonly stop: () => void;
}

const listenings = new WeakMap<RedisClient, Listening>();

/** Brokers that begin on a client at the same time have one listener: with eleven Node warns of a leak. @returns what ends it */
function noteErrors(client: RedisClient, note: LastError['note']): () => void {
  const { notes, stop } = listenings.get(client) ?? startListening(client);
  notes.add(note);
  return () => {
    notes.delete(note);
    if (notes.size > 0) return;
    listenings.delete(client);
    stop();
  };
}

function startListening(client: RedisClient): Listening {
  const notes: Listening['notes'] = new Set();
  const listener = (error: unknown): void => {
    for (const note of notes) note(withoutSecrets(error, []));
  };
  const emitter = client as Partial<Pick<NodeJS.EventEmitter, 'on' | 'off'>>; // both kinds of clients are emitters
  emitter.on?.('error', listener);
  const listening = { notes, stop: () => void emitter.off?.('error', listener) };
  listenings.set(client, listening);
  return listening;
}

/** `ioredis` puts the command that was refused into its error. */
function hasCredentials(error: unknown): boolean {
  const command =
    typeof error === 'object' && error !== null && 'command' in error ? error.command : undefined;
  const name =
    typeof command === 'object' && command !== null && 'name' in command ? command.name : undefined;
  return /^(?:auth|hello)$/i.test(String(name));
}

/**
 * Copies an error without secrets and without any property that a client or the runtime added: some carry the URL (`input`), or
 * the command that was sent (`command.args`), which may be the one with the password.
 */
export function withoutSecrets(error: unknown, secrets: readonly string[]): Error {
  if (!(error instanceof Error)) return new Error(hideSecrets(String(error), secrets));
  const { cause } = error;
  const options = cause instanceof Error ? { cause: withoutSecrets(cause, secrets) } : {};
  const copy = new Error(hideSecrets(error.message, secrets), options);
  copy.name = error.name;
  copy.stack = hideSecrets(error.stack ?? '', secrets);
  if ('code' in error && typeof error.code === 'string') Object.assign(copy, { code: error.code });
  if (error instanceof AggregateError) {
    Object.assign(copy, { errors: error.errors.map((one) => withoutSecrets(one, secrets)) });
  }
  return copy;
}
