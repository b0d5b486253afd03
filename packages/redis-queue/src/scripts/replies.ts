/**
 * What the latest claims of each worker got, so that a lost reply can be asked for again: four claims for each of the
 * thousand workers that claimed last. The bodies are kept too, unless they are large: then they are read again, which
 * leaves out runs that were settled and forgotten meanwhile.
 */
export const replies: string = String.raw`
local MOST_KEPT = 65536

local function recall(claim)
  local kept = call('HGET', REPLIES, claim.worker .. '\0' .. claim.request)
  if not kept then return nil end
  local reply = cmsgpack.unpack(kept)
  if #reply[5] == 0 then reply[5] = readAll(BODY, reply[4]) end
  return reply
end

local function forgetReplies(worker, requests)
  while requests ~= '' do
    local cut = find(requests, '\0', 1, true) or #requests + 1
    call('HDEL', REPLIES, worker .. '\0' .. sub(requests, 1, cut - 1))
    requests = sub(requests, cut + 1)
  end
end

local function remember(claim)
  local worker, size = claim.worker, 0
  for index = 1, #got.bodies do size = size + #got.bodies[index] end
  local bodies = size <= MOST_KEPT and got.bodies or {}
  local reply = { now, leaseUntil, got.over, got.ids, bodies, got.records }
  local known = call('HGET', REPLIES, worker)
  local requests = known and known .. '\0' .. claim.request or claim.request
  local _, zeros = string.gsub(requests, '%z', '')
  if zeros > 3 then
    local cut = find(requests, '\0', 1, true)
    forgetReplies(worker, sub(requests, 1, cut - 1))
    requests = sub(requests, cut + 1)
  end
  call('HSET', REPLIES, worker, requests, worker .. '\0' .. claim.request, cmsgpack.pack(reply))
  call('ZADD', WORKERS, now, worker)
  if call('ZCARD', WORKERS) <= 1000 then return end
  local oldest = call('ZPOPMIN', WORKERS)[1]
  forgetReplies(oldest, call('HGET', REPLIES, oldest) or '')
  call('HDEL', REPLIES, oldest)
end
`;
