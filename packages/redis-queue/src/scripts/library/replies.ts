import { APART_TEXTS, CLAIMED } from '../../record/layout.ts';
import { isIn } from '../lua.ts';

const HOUR_MS = 3_600_000;

/**
 * What the latest claims of each worker got, so that a claim whose reply was lost can be sent again: four claims for each of
 * the thousand workers that claimed last.
 *
 * Of a large claim only ids and epochs are kept, as its `records`. Sent again, it returns the runs that are still leased by it;
 * others could no longer be settled.
 */
export const replies: string = String.raw`
local MAX_KEPT_BYTES = 65536

local function claimedList(reply)
  return { ${CLAIMED.map((name) => `reply.${name}`).join(', ')} }
end

-- The runs of a large claim that are still started by it, as they are now.
local function recallLarge(reply)
  local bodies, records, isOverLimit = readAll(BODY, reply.ids), readAll(RECORD, reply.ids), {}
  for index = 1, #reply.overLimit do isOverLimit[reply.overLimit[index]] = true end
  local again = {
    startedAt = reply.startedAt, leaseUntil = reply.leaseUntil,
    overLimit = {}, ids = {}, bodies = {}, restarted = {}, records = {}, payloads = {},
  }
  for index = 1, #reply.ids do
    local id, body, record = reply.ids[index], bodies[index], records[index]
    if body and record and ${isIn('record', 'started')} and epochOf(record) == reply.records[index] then
      local next = #again.ids + 1
      again.ids[next], again.bodies[next], again.restarted[next], again.records[next] = id, body, next, record
      if isOverLimit[index] then again.overLimit[#again.overLimit + 1] = next end
      if hasLargePayload(body) then
        again.payloads[#again.payloads + 1] = call('HGET', LARGE, '${APART_TEXTS.payload}' .. id)
      end
    end
  end
  again.stacks = stacksOf(again.ids, again.records)
  return claimedList(again)
end

-- What the same claim got before, in the order of CLAIMED.
local function recall(claim)
  local kept = call('HGET', REPLIES, claim.worker .. '\0' .. claim.request)
  if not kept then return nil end
  local isReply, list = pcall(cmsgpack.unpack, kept)
  if not isReply or type(list) ~= 'table' or #list < ${CLAIMED.length} then return nil end
  local reply = {}
  ${CLAIMED.map((name) => `reply.${name}`).join(', ')} = unpack(list)
  if #reply.bodies == 0 then return recallLarge(reply) end
  return list
end

local function forgetReplies(worker, requests)
  while requests ~= '' do
    local cut = find(requests, '\0', 1, true) or #requests + 1
    call('HDEL', REPLIES, worker .. '\0' .. sub(requests, 1, cut - 1))
    requests = sub(requests, cut + 1)
  end
end

local function keptReply(stacks)
  local size = bytes
  for index = 1, #stacks do size = size + #stacks[index] end
  local reply = { startedAt = now, leaseUntil = leaseUntil, overLimit = got.overLimit, ids = got.ids }
  if size <= MAX_KEPT_BYTES then
    reply.bodies, reply.restarted, reply.records = got.bodies, got.restarted, got.records
    reply.stacks, reply.payloads = stacks, got.payloads
  else
    reply.bodies, reply.restarted, reply.records, reply.stacks, reply.payloads = {}, {}, {}, {}, {}
    for index = 1, taken do reply.records[index] = epochOf(starts[index * 2]) end
  end
  return claimedList(reply)
end

local function remember(claim, stacks)
  local worker = claim.worker
  local known = call('HGET', REPLIES, worker)
  local requests = known and known .. '\0' .. claim.request or claim.request
  local _, zeros = string.gsub(requests, '%z', '')
  if zeros > 3 then
    local cut = find(requests, '\0', 1, true)
    forgetReplies(worker, sub(requests, 1, cut - 1))
    requests = sub(requests, cut + 1)
  end
  call('HSET', REPLIES, worker, requests, worker .. '\0' .. claim.request, cmsgpack.pack(keptReply(stacks)))
  if call('ZADD', WORKERS, now, worker) == 0 then return end
  -- A new worker replaces one that has not claimed for an hour, or the one that claimed longest ago of more than a thousand.
  local surplus = call('ZCARD', WORKERS) > 1000
  local old = call('ZRANGEBYSCORE', WORKERS, '-inf', surplus and '+inf' or now - ${HOUR_MS}, 'LIMIT', 0, surplus and 1 or 2)
  for index = 1, #old do
    call('ZREM', WORKERS, old[index])
    forgetReplies(old[index], call('HGET', REPLIES, old[index]) or '')
    call('HDEL', REPLIES, old[index])
  end
end
`;
