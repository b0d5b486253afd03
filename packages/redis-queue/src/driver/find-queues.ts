import type { Keys } from '../store/keys.ts';
import { KEY_NAMES } from '../store/keys.ts';
import type { RedisLink } from './redis-link.ts';

/** What of queues a server has. */
export interface QueuesReport {
  /** The prefix of this broker. */
  readonly prefix: string;
  /** Whether the queue of this broker is there: a run, a hold or a worker. Nothing says of an empty one that it will be used. */
  readonly isThere: boolean;
  /**
   * The prefixes that the server has keys of, in the order of letters; `undefined` where it does not let them be looked for. Of a
   * large server the first 200 000 keys count, of a Cluster those of one node.
   */
  readonly prefixes: readonly string[] | undefined;
}

const KEYS_A_SCAN = 1_000;
const MAX_SCANS = 200;

/** Finds the queues of a server. */
export async function findQueues(
  link: RedisLink,
  prefix: string,
  partitions: readonly Keys[],
): Promise<QueuesReport> {
  const counts = await Promise.all(
    partitions.map(({ of }) => link.ask(of.meta, ['EXISTS', ...Object.values(of)])),
  );
  const isThere = counts.some((count) => Number(count) > 0);
  const home = partitions[0]?.of.meta ?? '';
  // A user of the server may not have the right to look through its keys.
  const prefixes = await scanPrefixes(link, home).catch(() => undefined);
  return { prefix, isThere, prefixes };
}

async function scanPrefixes(link: RedisLink, key: string): Promise<readonly string[]> {
  const found = new Set<string>();
  let cursor = '0';
  for (let scans = 0; scans < MAX_SCANS; scans += 1) {
    const reply = await link.ask(key, ['SCAN', cursor, 'MATCH', '{*:*}:*', 'COUNT', String(KEYS_A_SCAN)]);
    const [next, keys] = Array.isArray(reply) ? reply : [];
    for (const name of Array.isArray(keys) ? keys : []) {
      const [, prefix, end] = /^\{([^{}]+):\d+\}:([a-z-]+)$/.exec(String(name)) ?? [];
      if (prefix !== undefined && KEY_NAMES.some((known) => known === end)) found.add(prefix);
    }
    cursor = String(next ?? '0');
    if (cursor === '0') break;
  }
  return [...found].sort();
}
