import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import type { Bench, Contender, Payload, Place, Work } from './contender.ts';

/** Longer payloads do not pass through Lua. */
const LONG = 4_096;

/** The minimum to store runs: no check, no counts, no notification. */
const SUBMIT = `
local ids = {}
for index = 1, #ARGV / 2 do ids[index] = ARGV[index * 2 - 1] end
redis.call('HSET', KEYS[2], unpack(ARGV))
return redis.call('RPUSH', KEYS[1], unpack(ids))
`;

/** The minimum to settle runs, then claim some with their payloads: no records, no fencing, no retention. */
const EXCHANGE = `
if #ARGV > 2 then
  redis.call('ZREM', KEYS[3], unpack(ARGV, 3))
  redis.call('HDEL', KEYS[2], unpack(ARGV, 3))
end
local ids, leases = redis.call('LPOP', KEYS[1], ARGV[1]), {}
if not ids then return {} end
for index = 1, #ids do leases[index * 2 - 1], leases[index * 2] = ARGV[2], ids[index] end
redis.call('ZADD', KEYS[3], unpack(leases))
return { ids, redis.call('HMGET', KEYS[2], unpack(ids)) }
`;

/** A loop over bare scripts, which shows what the server and its client give for the least work of a queue. */
export const bareRedis: Contender = { open: openBare };

async function openBare({ url, name }: Place): Promise<Bench> {
  const [client, blocking] = [createClient({ url }), createClient({ url })];
  await Promise.all([client.connect(), blocking.connect()]);
  blocking.on('error', () => {}); // it is closed while it waits
  const keys = ['lane', 'body', 'leases'].map((key) => `{${name}}:bare:${key}`);
  const [lane = '', body = '', leases = ''] = keys;
  const [submitHash, exchangeHash] = [await client.scriptLoad(SUBMIT), await client.scriptLoad(EXCHANGE)];
  const run = (hash: string, args: readonly string[]): Promise<unknown> =>
    client.sendCommand(['EVALSHA', hash, `${keys.length}`, ...keys, ...args], { timeout: 0 });
  const exchange: Exchange = async (limit, settled) => {
    const until = `${Date.now() + 30_000}`;
    const [ids = [], bodies = []] = (await run(exchangeHash, [`${limit}`, until, ...settled])) as string[][];
    return { ids, bodies };
  };
  return {
    submit: (payload) => {
      const [id, text] = [randomUUID(), JSON.stringify(payload)];
      if (text.length < LONG) return run(submitHash, [id, text]);
      return client.multi().hSetNX(body, id, text).rPush(lane, id).exec();
    },
    submitBulk: (payloads) =>
      run(
        submitHash,
        payloads.flatMap((payload) => [randomUUID(), JSON.stringify(payload)]),
      ),
    work: async (work) => {
      const stopping = new AbortController();
      // The run stays at the head of the list.
      const wait = () => blocking.blMove(lane, lane, 'LEFT', 'LEFT', 1).catch(() => {});
      const working = workOff(work, { exchange, isStopping: stopping.signal, wait });
      return async () => {
        stopping.abort();
        blocking.destroy();
        await working;
      };
    },
    count: async () => ({ left: (await client.lLen(lane)) + (await client.zCard(leases)) }),
    close: async () => {
      if (blocking.isOpen) blocking.destroy();
      await client.close();
    },
  };
}

type Exchange = (
  limit: number,
  settled: readonly string[],
) => Promise<{ readonly ids: readonly string[]; readonly bodies: readonly string[] }>;

interface Loop {
  readonly exchange: Exchange;
  /** Resolves when there may be something to claim. */
  readonly wait: () => Promise<unknown>;
  readonly isStopping: AbortSignal;
}

async function workOff(
  { concurrency, handle, onDone }: Work,
  { exchange, wait, isStopping }: Loop,
): Promise<void> {
  let settled: readonly string[] = [];
  while (!isStopping.aborted) {
    const { ids, bodies } = await exchange(concurrency, settled);
    for (const _ of settled) onDone();
    await Promise.all(bodies.map((body) => handle(JSON.parse(body) as Payload))); // what submit wrote
    settled = ids;
    if (ids.length === 0) await wait();
  }
}
