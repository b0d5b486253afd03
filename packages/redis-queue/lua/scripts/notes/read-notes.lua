-- Reads notes in the order of their keys.
--
-- Keys: BODY HOLDS NOTES NOTE_KEYS
--
-- ARGV[1]  packed: a prefix, from which member on, how many at most
--
-- Returns the clock, notes, each after its key, and the last key that was looked at if there may be more.
--
-- @use notes

local prefix, from, limit = unpack(cmsgpack.unpack(ARGV[1]))
local keys = call('ZRANGEBYLEX', NOTE_KEYS, from, '(' .. prefix .. '\255', 'LIMIT', 0, limit + 1)
local found, bytes, last = {}, 0, ''
for index = 1, #keys do
  if index > limit or bytes > MAX_REPLY_BYTES then return { now, found, last } end
  last = keys[index]
  local text = call('HGET', hashOf(last), last)
  if versionOf(text) > 0 then
    found[#found + 1], bytes = last, bytes + #text
    found[#found + 1] = text
  end
end
return { now, found, '' }
