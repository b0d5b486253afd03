-- Keeps what the claim got under `reply`, of which `known` was read before. A single run that starts for the first time is kept as plain
-- text, because a list for MessagePack would take as long as a command.

local keptClaim
if got then
  keptClaim = cmsgpack.pack({ now, leaseUntil, ids, got.overLimit, got.restarted, got.epochs })
elseif taken == 1 then
  keptClaim = NOW .. '\0' .. leaseText .. '\0' .. ids[1]
else
  keptClaim = cmsgpack.pack({ now, leaseUntil, ids })
end
local list = known[1]
local stamp = list and tonumber(sub(list, 1, Record.submittedAt.width))
if not stamp or now - stamp > 60000 then
  -- @make noteWorker
  list = noteWorker(list, worker)
end
if #list > 300 then
  -- @make forgetOldRequests
  list = forgetOldRequests(list, worker)
end
call('HSET', REPLIES, worker, list .. '\0' .. request, reply, keptClaim)
