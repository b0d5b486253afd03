-- Pauses, resumes or cancels an operation.
--
-- Keys: BODY OPERATIONS
--
-- ARGV[1]  packed: id, and the new state
--
-- Returns `changed`, `gone` or `refused`.
--
-- @use basics

local id, to = unpack(cmsgpack.unpack(ARGV[1]))
checkRights()
local kept = call('HGET', OPERATIONS, id)
if not kept then return 'gone' end
local figures = cjson.decode(kept)
if figures.endedAt then return 'refused' end
figures.state, figures.updatedAt = to, now
if to == 'cancelled' then figures.endedAt = now end
call('HSET', OPERATIONS, id, cjson.encode(figures))
return 'changed'
