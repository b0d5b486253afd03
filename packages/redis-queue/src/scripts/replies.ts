/**
 * What the latest claims of each worker got, so that a lost reply can be asked for again: four claims for each of the
 * thousand workers that claimed last. Bodies never change, so that only ids and records are kept.
 */
export const replies: string = String.raw`
local function recall(claim)
  local kept = call('HGET', REPLIES, claim.worker .. '\0' .. claim.request)
  return kept and cmsgpack.unpack(kept)
end

local function forgetReplies(worker, requests)
  while requests ~= '' do
    local cut = find(requests, '\0', 1, true) or #requests + 1
    call('HDEL', REPLIES, worker .. '\0' .. sub(requests, 1, cut - 1))
    requests = sub(requests, cut + 1)
  end
end

local function remember(claim, reply)
  local worker = claim.worker
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
