/** The keys of both scripts, in their order. */
export const KEYS = ['lane', 'body', 'leases', 'record', 'finished', 'claims', 'long'] as const;

/** Stores runs whose ids are new. Arguments: id and body of each. */
export const SUBMIT = `
if #ARGV == 2 then
  if redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[2]) == 1 then redis.call('RPUSH', KEYS[1], ARGV[1]) end
  return
end
local ids, fresh, writes = {}, {}, {}
for index = 1, #ARGV / 2 do ids[index] = ARGV[index * 2 - 1] end
local known = redis.call('HMGET', KEYS[2], unpack(ids))
for index = 1, #ids do
  if not known[index] then
    fresh[#fresh + 1] = ids[index]
    writes[#fresh * 2 - 1], writes[#fresh * 2] = ids[index], ARGV[index * 2]
  end
end
if #fresh == 0 then return end
redis.call('HSET', KEYS[2], unpack(writes))
redis.call('RPUSH', KEYS[1], unpack(fresh))
`;

/**
 * Completes the runs whose epoch is the one that was claimed, then claims some. Arguments: how many to claim, the end of their
 * lease, the loop, its request, then the ids and the epochs that end. Returns how many ended, and ids, epochs and bodies.
 */
export const EXCHANGE = `
local call = redis.call
local settled, most = (#ARGV - 4) / 2, tonumber(ARGV[1])
local ids = most > 0 and call('LPOP', KEYS[1], most) or {}
local asked = { unpack(ARGV, 5, settled + 4) }
for index = 1, #ids do asked[settled + index] = ids[index] end
if #asked == 0 then return { 0, {}, {}, {} } end
local records = call('HMGET', KEYS[4], unpack(asked))
local done, writes, leases, epochs = {}, {}, {}, {}
for index = 1, settled do
  local epoch = ARGV[settled + 4 + index]
  if records[index] == 's' .. epoch then
    done[#done + 1] = asked[index]
    writes[#done * 2 - 1], writes[#done * 2] = asked[index], 'c' .. epoch .. ' ' .. ARGV[2]
  end
end
local from = #done
for index = 1, #ids do
  local record = records[settled + index]
  epochs[index] = record and tonumber(string.match(record, '%d+')) + 1 or 1
  leases[index * 2 - 1], leases[index * 2] = ARGV[2], ids[index]
  writes[(from + index) * 2 - 1], writes[(from + index) * 2] = ids[index], 's' .. epochs[index]
end
call('HSET', KEYS[4], unpack(writes))
if #done > 0 then
  call('ZREM', KEYS[3], unpack(done))
  call('RPUSH', KEYS[5], unpack(done))
end
if #ids == 0 then return { #done, {}, {}, {} } end
call('ZADD', KEYS[3], unpack(leases))
call('HSET', KEYS[6], ARGV[3], ARGV[4] .. ' ' .. table.concat(ids, ' '))
return { #done, ids, epochs, call('HMGET', KEYS[2], unpack(ids)) }
`;
