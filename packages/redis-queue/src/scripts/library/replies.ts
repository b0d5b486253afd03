import { APART_TEXTS } from '../../record/layout.ts';
import { isIn } from '../lua.ts';

/**
 * What the latest claims of each worker got, so that a lost reply can be asked for again: four claims for each of the
 * thousand workers that claimed last. Of a large claim only ids and epochs are kept: asked for again, it gives the runs
 * that are still held by it; the others nobody could settle any more.
 */
export const replies: string = String.raw`
local MOST_KEPT = 65536

-- The runs of a large claim that are still started by it, as they are.
local function recallLarge(reply)
  local at, leaseUntil, over, ids, _, _, epochs = unpack(reply)
  local payloads = {}
  local bodies, records, isOver = readAll(BODY, ids), readAll(RECORD, ids), {}
  for index = 1, #over do isOver[over[index]] = true end
  local again = { at, leaseUntil, {}, {}, {}, {}, {} }
  for index = 1, #ids do
    local record = records[index]
    if bodies[index] and record and ${isIn('record', 'started')} and epochOf(record) == epochs[index] then
      local place = #again[4] + 1
      again[4][place], again[5][place], again[6][place], again[7][place] = ids[index], bodies[index], place, record
      if isOver[index] then again[3][#again[3] + 1] = place end
      if hasLargePayload(bodies[index]) then payloads[#payloads + 1] = call('HGET', LARGE, '${APART_TEXTS.payload}' .. ids[index]) end
    end
  end
  again[8], again[9] = stacksOf(again[4], again[7]), payloads
  return again
end

local function recall(claim)
  local kept = call('HGET', REPLIES, claim.worker .. '\0' .. claim.request)
  if not kept then return nil end
  local isReply, reply = pcall(cmsgpack.unpack, kept)
  if not isReply or type(reply) ~= 'table' or #reply < 9 then return nil end
  if #reply[5] == 0 then return recallLarge(reply) end
  return reply
end

local function forgetReplies(worker, requests)
  while requests ~= '' do
    local cut = find(requests, '\0', 1, true) or #requests + 1
    call('HDEL', REPLIES, worker .. '\0' .. sub(requests, 1, cut - 1))
    requests = sub(requests, cut + 1)
  end
end

local function remember(claim, stacks)
  local worker, size = claim.worker, bytes
  for index = 1, #stacks do size = size + #stacks[index] end
  local bodies, places, records, payloads = got.bodies, got.places, got.records, got.payloads
  if size > MOST_KEPT then
    bodies, places, records, stacks, payloads = {}, {}, {}, {}, {}
    for index = 1, taken do records[index] = epochOf(starts[index * 2]) end
  end
  local reply = { now, leaseUntil, got.over, got.ids, bodies, places, records, stacks, payloads }
  local known = call('HGET', REPLIES, worker)
  local requests = known and known .. '\0' .. claim.request or claim.request
  local _, zeros = string.gsub(requests, '%z', '')
  if zeros > 3 then
    local cut = find(requests, '\0', 1, true)
    forgetReplies(worker, sub(requests, 1, cut - 1))
    requests = sub(requests, cut + 1)
  end
  call('HSET', REPLIES, worker, requests, worker .. '\0' .. claim.request, cmsgpack.pack(reply))
  if call('ZADD', WORKERS, now, worker) == 0 then return end
  -- A worker that is new takes the place of one that claimed nothing for an hour: nobody waits for its replies.
  local surplus = call('ZCARD', WORKERS) > 1000
  local old = call('ZRANGEBYSCORE', WORKERS, '-inf', surplus and '+inf' or now - 3600000, 'LIMIT', 0, surplus and 1 or 2)
  for index = 1, #old do
    call('ZREM', WORKERS, old[index])
    forgetReplies(old[index], call('HGET', REPLIES, old[index]) or '')
    call('HDEL', REPLIES, old[index])
  end
end
`;
