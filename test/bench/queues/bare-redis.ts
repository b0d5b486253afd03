import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import type { Bench, Contender, Payload, Place, Work } from './contender.ts';

/** Longer payloads do not pass through Lua. */
const LONG = 4_096;

/** Stores runs whose ids are new. */
const SUBMIT = `
local ids, fresh, writes = {}, {}, {}
for index = 1, #ARGV / 2 do ids[index] = ARGV[index * 2 - 1] end
local known = redis.call('HMGET', KEYS[2], unpack(ids))
for index = 1, #ids do
  if not known[index] then
    fresh[#fresh + 1] = ids[index]
    writes[#writes + 1], writes[#writes + 2] = ids[index], ARGV[index * 2]
  end
end
if #fresh == 0 then return 0 end
redis.call('HSET', KEYS[2], unpack(writes))
return redis.call('RPUSH', KEYS[1], unpack(fresh))
`;

/** Completes the runs whose epoch is the one that was claimed, then claims some with their payloads. */
const EXCHANGE = `
local settled = (#ARGV - 4) / 2
if settled > 0 then
  local records, done, writes = redis.call('HMGET', KEYS[4], unpack(ARGV, 5, settled + 4)), {}, {}
  for index = 1, settled do
    local id, epoch = ARGV[index + 4], ARGV[index + settled + 4]
    if records[index] == 's' .. epoch then
      done[#done + 1] = id
      writes[#done * 2 - 1], writes[#done * 2] = id, 'c' .. epoch .. ' ' .. ARGV[2]
    end
  end
  if #done < settled then return redis.error_reply('A settlement was refused.') end
  redis.call('HSET', KEYS[4], unpack(writes))
  redis.call('ZREM', KEYS[3], unpack(done))
  redis.call('RPUSH', KEYS[5], unpack(done))
  redis.call('HINCRBY', KEYS[7], 'completed', #done)
end
redis.call('HDEL', KEYS[6], ARGV[4])
local ids, leases, writes, epochs = redis.call('LPOP', KEYS[1], ARGV[1]), {}, {}, {}
if not ids then return {} end
local records = redis.call('HMGET', KEYS[4], unpack(ids))
for index = 1, #ids do
  epochs[index] = (records[index] and tonumber(string.match(records[index], '%d+')) or 0) + 1
  leases[index * 2 - 1], leases[index * 2] = ARGV[2], ids[index]
  writes[index * 2 - 1], writes[index * 2] = ids[index], 's' .. epochs[index]
end
redis.call('ZADD', KEYS[3], unpack(leases))
redis.call('HSET', KEYS[4], unpack(writes))
redis.call('HSET', KEYS[6], ARGV[3], table.concat(ids, ' '))
return { ids, redis.call('HMGET', KEYS[2], unpack(ids)), epochs }
`;

/**
 * What the server and its client give for the promises of a queue, by one script an exchange and no library. A settlement holds only
 * for the run's epoch, a claim is stored under its request so that it could be answered again, ended runs are kept and counted, an
 * id is used once. There is one lane, and no delays, keys, retries, retention or resends.
 */
export const bareRedis: Contender = { open: openBare };

async function openBare({ url, name }: Place): Promise<Bench> {
  const [client, blocking] = [createClient({ url }), createClient({ url })];
  await Promise.all([client.connect(), blocking.connect()]);
  blocking.on('error', () => {}); // it is closed while it waits
  const keys = ['lane', 'body', 'leases', 'record', 'finished', 'replies', 'meta'].map(
    (key) => `{${name}}:bare:${key}`,
  );
  const [lane = '', body = '', leases = ''] = keys;
  const [submitHash, exchangeHash] = [await client.scriptLoad(SUBMIT), await client.scriptLoad(EXCHANGE)];
  const run = (hash: string, args: readonly string[]): Promise<unknown> =>
    client.sendCommand(['EVALSHA', hash, `${keys.length}`, ...keys, ...args], { timeout: 0 });
  let earlier = '';
  const exchange: Exchange = async (limit, { ids: settled, epochs: fences }) => {
    const [until, request] = [`${Date.now() + 30_000}`, randomUUID()];
    const args = [`${limit}`, until, request, earlier, ...settled, ...fences.map(String)];
    earlier = request;
    const [ids = [], bodies = [], epochs = []] = (await run(exchangeHash, args)) as Reply; // the reply of our own script
    return { ids, bodies, epochs };
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

type Reply = readonly [ids?: readonly string[], bodies?: readonly string[], epochs?: readonly number[]];

interface Claimed {
  readonly ids: readonly string[];
  readonly bodies: readonly string[];
  readonly epochs: readonly number[];
}

type Exchange = (limit: number, settled: Claimed) => Promise<Claimed>;

const NOTHING: Claimed = { ids: [], bodies: [], epochs: [] };

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
  let settled = NOTHING;
  while (!isStopping.aborted) {
    const claimed = await exchange(concurrency, settled);
    for (const _ of settled.ids) onDone();
    await Promise.all(claimed.bodies.map((body) => handle(JSON.parse(body) as Payload))); // what submit wrote
    settled = claimed;
    if (claimed.ids.length === 0) await wait();
  }
}
