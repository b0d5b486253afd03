import { Cluster } from 'ioredis';
import { createClient, createCluster } from 'redis';
import type { PrivateRedis } from './redis.ts';
import { startPrivateRedis } from './redis.ts';

/** A Redis Cluster of our own, on this machine. */
export interface PrivateCluster {
  readonly ports: readonly number[];
  readonly urls: readonly string[];
  /** The node that has the slot of a key. */
  readonly ownerOf: (key: string) => Promise<string | undefined>;
  /** Moves the slot of a key, with all its keys, to another node. */
  readonly moveSlot: (key: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Options of a client that connects on a busy machine. */
export const PATIENT = { socket: { connectTimeout: 30_000 } } as const;

const SLOTS = 16_384;

/** Starts three masters that share the slots; resolves when each of them knows the others. */
export async function startPrivateCluster(settings: readonly string[] = []): Promise<PrivateCluster> {
  const args = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '30000', ...settings];
  const nodes = await Promise.all([1, 2, 3].map(() => startPrivateRedis(args)));
  const [first] = nodes;
  for (const [index, node] of nodes.entries()) {
    const from = Math.floor((SLOTS * index) / nodes.length);
    const end = Math.floor((SLOTS * (index + 1)) / nodes.length);
    const slots = Array.from({ length: end - from }, (_, slot) => `${from + slot}`);
    await command(node, ['CLUSTER', 'ADDSLOTS', ...slots]);
    await command(node, ['CLUSTER', 'SET-CONFIG-EPOCH', `${index + 1}`]);
    if (first !== undefined && node !== first)
      await command(node, ['CLUSTER', 'MEET', '127.0.0.1', `${first.port}`]);
  }
  for (const node of nodes) await untilWhole(node);
  return {
    ports: nodes.map(({ port }) => port),
    urls: nodes.map(({ url }) => url),
    ownerOf: async (key) => (await findOwner(nodes, key)).from?.url,
    moveSlot: (key) => moveSlot(nodes, key),
    stop: async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    },
  };
}

/** A client of `redis` or `ioredis` for the whole cluster. */
export async function connectToCluster(name: string, { ports, urls }: PrivateCluster) {
  if (name === 'ioredis') {
    const client = new Cluster(
      ports.map((port) => ({ host: '127.0.0.1', port })),
      { redisOptions: { connectTimeout: 30_000 } },
    );
    return { client, close: async () => client.disconnect() };
  }
  const client = createCluster({ rootNodes: urls.map((url) => ({ url })), defaults: PATIENT });
  await client.connect();
  return { client, close: () => client.close() };
}

async function findOwner(nodes: readonly PrivateRedis[], key: string) {
  const slot = String(await command(nodes[0], ['CLUSTER', 'KEYSLOT', key]));
  const owners = await Promise.all(nodes.map((node) => ownsSlot(node, Number(slot))));
  return { slot, from: nodes[owners.indexOf(true)], to: nodes[owners.indexOf(false)] };
}

async function moveSlot(nodes: readonly PrivateRedis[], key: string): Promise<void> {
  const { slot, from, to } = await findOwner(nodes, key);
  const [fromId, toId] = await Promise.all([from, to].map((node) => command(node, ['CLUSTER', 'MYID'])));
  await command(to, ['CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(fromId)]);
  await command(from, ['CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(toId)]);
  for (;;) {
    const keys = (await command(from, ['CLUSTER', 'GETKEYSINSLOT', slot, '1'])) as string[]; // names of keys
    if (keys.length === 0) break;
    await command(from, ['MIGRATE', '127.0.0.1', `${to?.port}`, '', '0', '5000', 'KEYS', ...keys]);
  }
  for (const node of [to, from, ...nodes.filter((node) => node !== from && node !== to)])
    await command(node, ['CLUSTER', 'SETSLOT', slot, 'NODE', String(toId)]);
}

async function ownsSlot(node: PrivateRedis, slot: number): Promise<boolean> {
  const id = await command(node, ['CLUSTER', 'MYID']);
  const ranges = (await command(node, ['CLUSTER', 'SLOTS'])) as [number, number, [string, number, string]][]; // as documented
  return ranges.some(([first, last, [, , owner]]) => first <= slot && slot <= last && owner === id);
}

async function untilWhole(node: PrivateRedis): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const info = String(await command(node, ['CLUSTER', 'INFO']));
    if (info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:3')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`The cluster at ${node.url} did not come together within 20 s.`);
}

async function command(node: PrivateRedis | undefined, args: readonly string[]): Promise<unknown> {
  if (node === undefined) throw new Error('A cluster needs two nodes at least.');
  const client = await createClient({ url: node.url, ...PATIENT }).connect();
  try {
    return await client.sendCommand(args);
  } finally {
    await client.close();
  }
}
