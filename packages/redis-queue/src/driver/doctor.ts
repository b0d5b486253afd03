import { RedisBrokerError, readOnly } from '../errors.ts';
import type { RedisLink } from './redis-link.ts';

/** What the server reported about itself when it was examined. */
export interface ServerReport {
  /** The version of Redis, or the one that Valkey is compatible with. */
  readonly version: string;
  /** Its `maxmemory-policy`; `unknown` where it does not say. */
  readonly maxmemoryPolicy: string;
  /** Its `maxmemory` in bytes; 0 where it has none, or does not say. */
  readonly maxmemory: number;
  /**
   * What survives a crash of the server. `aof`: everything, or all but the last second, by `appendfsync`. `snapshots`: the
   * latest snapshot, if there is one. `none`: nothing.
   */
  readonly persistence: 'aof' | 'snapshots' | 'none' | 'unknown';
  /** `always`, `everysec` or `no`; `undefined` without an append-only file, and where the server does not reveal it. */
  readonly appendFsync: string | undefined;
}

/** What the options require of the server. */
export interface Requirements {
  /** Whether the client sends each command to the node of a Cluster that has its key. */
  readonly isCluster: boolean;
  readonly allowEviction: boolean;
  readonly needsWaitAof: boolean;
}

/** Examines a server. @throws {RedisBrokerError} when runs would not be safe there, with cause and cure */
export async function examine(link: RedisLink, key: string, required: Requirements): Promise<ServerReport> {
  await checkReplies(link, key);
  const info = readInfo(String(await link.ask(key, ['INFO'])));
  checkServer(info, required);
  if (info.get('cluster_enabled') === '1' && !required.isCluster) await checkIsWhole(link, key);
  const version = versionOf(info);
  const maxmemoryPolicy = policyOf(info);
  const isAof = info.get('aof_enabled') === '1';
  const appendFsync = isAof ? await readSetting(link, key, 'appendfsync') : undefined;
  const persistence = isAof ? 'aof' : await readSnapshots(link, key);
  const maxmemory = numberOf(info, 'maxmemory');
  const report = { version, maxmemoryPolicy, maxmemory, persistence, appendFsync } as const;
  if (required.needsWaitAof) requireWaitAof(report);
  return report;
}

type Info = ReadonlyMap<string, string>;

function checkServer(info: Info, { allowEviction }: Requirements): void {
  if (!isAtLeast(versionOf(info), 6, 2)) {
    const cure = 'Use Redis 6.2 or newer, or Valkey.';
    throw new RedisBrokerError(
      'REDIS_TOO_OLD',
      `The server must have version 6.2 or newer, got ${versionOf(info)}. ${cure}`,
    );
  }
  if (info.get('role') === 'slave') throw readOnly();
  if (policyOf(info).startsWith('allkeys') && !allowEviction) {
    const seen = `maxmemory-policy must not let the server evict runs, got ${policyOf(info)}.`;
    const cure = 'Run CONFIG SET maxmemory-policy noeviction, or allowEviction: true if runs may be lost.';
    throw new RedisBrokerError('REDIS_MAY_EVICT', `${seen} ${cure}`);
  }
}

/** Refuses a node that is not the whole Cluster. Where the server does not say, a queue elsewhere is answered by MOVED. */
async function checkIsWhole(link: RedisLink, key: string): Promise<void> {
  const text = await link.ask(key, ['CLUSTER', 'INFO']).catch(() => '');
  if (Number(readInfo(String(text)).get('cluster_size') ?? 1) > 1) throw needsCluster();
}

/** Whether a node of a Cluster answered that another one has the key. */
export function isMoved(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('MOVED ');
}

/** The error of a client that knows one node of a Cluster. */
export function needsCluster(cause?: unknown): RedisBrokerError {
  const message =
    'this server is one node of a Cluster, and its client does not know the others. Pass a client: createCluster of redis, or new Cluster of ioredis.';
  return new RedisBrokerError('NEEDS_CLUSTER_CLIENT', message, cause === undefined ? {} : { cause });
}

function versionOf(info: Info): string {
  return info.get('redis_version') ?? '';
}

function numberOf(info: Info, name: string): number {
  return Number(info.get(name) ?? 0) || 0;
}

function policyOf(info: Info): string {
  return info.get('maxmemory_policy') ?? 'unknown';
}

/** A client may be set to convert replies, such as numbers to text: scripts and what reads their replies rely on the usual kinds. */
async function checkReplies(link: RedisLink, key: string): Promise<void> {
  const reply = await link.ask(key, ['EVAL', "return {1, 'a'}", '1', key]);
  if (Array.isArray(reply) && reply[0] === 1 && reply[1] === 'a') return;
  const seen = 'The client must reply with numbers and text as the server sends them, and converts them.';
  const cure =
    'Leave out stringNumbers (ioredis) or the type mapping (redis), or pass a client without them.';
  throw new RedisBrokerError('CLIENT_CONVERTS_REPLIES', `${seen} ${cure}`);
}

function requireWaitAof({ version, persistence, appendFsync }: ServerReport): void {
  if (!isAtLeast(version, 7, 2))
    cannotWait(`Redis 7.2 or newer, got ${version}. Update it, or leave durability out.`);
  if (persistence !== 'aof')
    cannotWait('an append-only file, got appendonly no. Run CONFIG SET appendonly yes.');
  // Without fsync the operating system decides when to write the file, and the server is not notified.
  if (appendFsync === 'no')
    cannotWait('a server that flushes its file, got appendfsync no. Run CONFIG SET appendfsync everysec.');
}

function cannotWait(needs: string): never {
  throw new RedisBrokerError('REDIS_CANNOT_WAIT', `durability 'wait-aof' needs ${needs}`);
}

async function readSnapshots(link: RedisLink, key: string): Promise<ServerReport['persistence']> {
  const save = await readSetting(link, key, 'save');
  if (save === undefined) return 'unknown';
  return save === '' ? 'none' : 'snapshots';
}

/** Returns a setting; `undefined` where the server does not reveal it, as hosted ones may. */
async function readSetting(link: RedisLink, key: string, name: string): Promise<string | undefined> {
  try {
    const reply = await link.ask(key, ['CONFIG', 'GET', name]);
    // RESP2 answers name and value, RESP3 a map, which clients make an object or a Map of.
    if (Array.isArray(reply)) return reply[1] === undefined ? undefined : String(reply[1]);
    const value = reply instanceof Map ? reply.get(name) : Object(reply)[name];
    return value === undefined ? undefined : String(value);
  } catch {
    return undefined;
  }
}

function readInfo(text: string): Info {
  const lines = text.split('\r\n').filter((line) => line.includes(':'));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [first = 0, second = 0] = version.split('.').map(Number);
  return first > major || (first === major && second >= minor);
}
