-- Tries every command that the scripts use, on keys that it removes afterwards, so that missing rights are found before they stop a script
-- half-way. It needs fewer rights than `ACL DRYRUN`, which is for administrators, and works on older servers. Any other error of a command
-- means that the user has the right.
--
-- Keys: BODY
--
-- ARGV[1]  a channel
--
-- Returns for each command that is refused its name and the error.

local base, channel = string.sub(KEYS[1], 1, -5), ARGV[1]
local hash, list, set, sorted = base .. 'probe-hash', base .. 'probe-list', base .. 'probe-set', base .. 'probe-sorted'
local missing = {}
-- What the message of a refusal has, by the version of the server.
local REFUSALS = { 'NOPERM', "executing the script can't ", 'no permission' }
local function try(...)
  local reply = redis.pcall(...)
  local problem = type(reply) == 'table' and reply.err or ''
  for index = 1, #REFUSALS do
    if string.find(problem, REFUSALS[index], 1, true) then
      missing[#missing + 1] = { string.lower(({ ... })[1]), problem }
      return
    end
  end
end
try('TIME')
try('EXISTS', hash)
-- The command that removes comes first: nothing is written that could not be removed again.
local function pair(remove, add)
  local count = #missing
  try(unpack(remove))
  if #missing == count then add() end
  redis.pcall(unpack(remove))
end
local text = base .. 'probe-text'
try('GET', text)
try('SET', text, '', 'XX', 'PX', '1')
pair({ 'HDEL', hash, 'a' }, function()
  try('HSET', hash, 'a', '1')
  try('HSETNX', hash, 'a', '1')
  try('HINCRBY', hash, 'a', '1')
end)
pair({ 'LPOP', list }, function()
  try('RPUSH', list, 'a')
end)
pair({ 'SREM', set, 'a' }, function()
  try('SADD', set, 'a')
end)
pair({ 'ZREM', sorted, 'a' }, function()
  try('ZADD', sorted, '1', 'a')
end)
try('HGET', hash, 'a')
try('HGETALL', hash)
try('HMGET', hash, 'a')
try('HLEN', hash)
try('HEXISTS', hash, 'a')
try('HRANDFIELD', hash, '1')
try('HSTRLEN', hash, 'a')
try('LLEN', list)
try('LPOS', list, 'b')
try('LINDEX', list, '0')
try('LRANGE', list, '0', '0')
try('LREM', list, '1', 'b')
try('LTRIM', list, '0', '0')
try('SCARD', set)
try('SMEMBERS', set)
try('ZCARD', sorted)
try('ZSCORE', sorted, 'a')
try('ZMSCORE', sorted, 'a')
try('ZRANGE', sorted, '0', '0')
try('ZRANGEBYSCORE', sorted, '1', '1')
try('ZCOUNT', sorted, '1', '1')
try('ZRANK', sorted, 'a')
try('ZSCAN', sorted, '0')
try('ZREVRANGEBYLEX', sorted, '[a', '[a')
try('ZRANGEBYLEX', sorted, '[a', '[a')
try('ZLEXCOUNT', sorted, '[a', '[a')
try('PUBLISH', channel, '')
return missing
