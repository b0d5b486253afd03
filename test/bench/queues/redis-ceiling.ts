import { createClient } from 'redis';

const BATCH = 100;

/** The minimum to claim an id, lease it and settle it: no records, no fencing, no retention. */
const SCRIPT = `
local done = cmsgpack.unpack(ARGV[1])
if #done > 0 then redis.call('ZREM', KEYS[2], unpack(done)) end
local ids = redis.call('LPOP', KEYS[1], ARGV[2])
if not ids then return {} end
local leases = {}
for index = 1, #ids do leases[index * 2 - 1], leases[index * 2] = ARGV[3], ids[index] end
redis.call('ZADD', KEYS[2], unpack(leases))
return ids
`;

/** Returns the milliseconds of the bare scripts, with two batches of 100 in flight. */
export async function ceiling(url: string, count: number): Promise<number> {
  const client = createClient({ url });
  await client.connect();
  const keys = ['{ceiling}:lane', '{ceiling}:leases'];
  const [lane = '', leases = ''] = keys;
  await client.del(keys);
  await client.zAdd(leases, { score: Infinity, value: ' '.repeat(65) });
  for (let from = 0; from < count; from += 1_000)
    await client.rPush(
      lane,
      Array.from(
        { length: Math.min(1_000, count - from) },
        (_, index) => `00000000-0000-4000-8000-${String(from + index).padStart(12, '0')}`,
      ),
    );
  const hash = await client.scriptLoad(SCRIPT);
  const startedAt = performance.now();
  const exchange = async (): Promise<void> => {
    let ids: string[] = [];
    do {
      const args = ['EVALSHA', hash, '2', ...keys, packIds(ids), `${BATCH}`, `${Date.now() + 30_000}`];
      ids = (await client.sendCommand(args)) as string[]; // the ids of our own script
    } while (ids.length > 0);
  };
  await Promise.all([exchange(), exchange()]);
  const ms = performance.now() - startedAt;
  await client.del(keys);
  await client.close();
  return ms;
}

function packIds(ids: readonly string[]): Buffer {
  const head = Buffer.from([0xdc, ids.length >> 8, ids.length & 255]);
  return Buffer.concat([
    head,
    ...ids.map((id) => Buffer.concat([Buffer.from([0xd9, id.length]), Buffer.from(id)])),
  ]);
}
