import { RECORD, widthOf } from '../../record/layout.ts';
import { KEPT_CLAIM } from '../../record/requests.ts';
import { make } from '../../store/compose.ts';
import { isIn } from '../lua.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const STAMP = widthOf(RECORD, 'submittedAt');
/** How long a list of requests may become before the oldest are forgotten, all but three: some eight requests. */
const MAX_REQUESTS = 300;

/**
 * What the latest claims of each worker got, so that a claim whose reply was lost can be sent again: four claims at least for each
 * of the thousand workers that claimed last.
 *
 * The hash has under the name of a worker an instant and the list of its requests, and of each request the ids of its runs. Sent
 * again, a claim returns those that are still leased by it, as they are then; others could no longer be settled.
 */
export const recall: string = `
local isKept, list = pcall(cmsgpack.unpack, kept)
local started, leased, only = string.match(kept, '^(%d+)%z(%d+)%z(.+)$')
if only then isKept, list = true, { tonumber(started), tonumber(leased), { only } } end
if not isKept or type(list) ~= 'table' or type(list[3]) ~= 'table' or (#list ~= 3 and #list ~= ${KEPT_CLAIM.length}) then return nil end
local reply = {}
${KEPT_CLAIM.map((name) => `reply.${name}`).join(', ')} = unpack(list)
local bodies, records, epochs, isOverLimit = readAll(BODY, reply.ids), readAll(RECORD, reply.ids), {}, {}
for at, index in ipairs(reply.restarted or {}) do epochs[index] = reply.epochs[at] end
for _, index in ipairs(reply.overLimit or {}) do isOverLimit[index] = true end
local again = {
  startedAt = reply.startedAt, leaseUntil = reply.leaseUntil,
  ids = {}, bodies = {}, overLimit = {}, restarted = {}, records = {},
}
for index = 1, #reply.ids do
  local id, body, record = reply.ids[index], bodies[index], records[index]
  if body and record and ${isIn('record', 'started')} and epochOf(record) == (epochs[index] or FIRST_EPOCH) then
    local next = #again.ids + 1
    again.ids[next], again.bodies[next], again.restarted[next], again.records[next] = id, body, next, record
    if isOverLimit[index] then again.overLimit[#again.overLimit + 1] = next end
  end
end
again.stacks = stacksOf(again.ids, again.records)
return again
`;

/** Forgets all requests in the list of a worker but the last three. */
export const forgetOldRequests: string = String.raw`
local all, stamp = {}, sub(list, 1, ${STAMP})
for request in string.gmatch(sub(list, ${STAMP + 2}), '%Z+') do all[#all + 1] = request end
local fields = {}
for index = 1, #all - 3 do fields[index] = worker .. '\0' .. all[index] end
many('HDEL', REPLIES, fields)
return table.concat({ stamp, unpack(all, math.max(1, #all - 2)) }, '\0')
`;

/** Notes that a worker claims, once a minute. A new one replaces another. Returns its list with the new instant. */
export const noteWorker: string = String.raw`
local requests = list and '\0' .. list or ''
if list and find(sub(list, 1, ${STAMP + 1}), '^%d*%z') == 1 then requests = sub(list, ${STAMP + 1}) end
if call('ZADD', WORKERS, now, worker) == 1 then
  -- It replaces one that has not claimed for an hour, or the one that claimed longest ago of more than a thousand.
  local surplus = call('ZCARD', WORKERS) > 1000
  local old = call('ZRANGEBYSCORE', WORKERS, '-inf', surplus and '+inf' or now - ${HOUR_MS}, 'LIMIT', 0, surplus and 1 or 2)
  for index = 1, #old do
    local name, fields = old[index], { old[index] }
    for request in string.gmatch(call('HGET', REPLIES, name) or '', '%Z+') do fields[#fields + 1] = name .. '\0' .. request end
    call('ZREM', WORKERS, name)
    many('HDEL', REPLIES, fields)
  end
end
return NOW .. requests
`;

/**
 * Keeps what the claim got under `reply`, of which `known` was read before. A single run that starts for the first time is kept as
 * plain text, because a list for MessagePack would take as long as a command.
 */
export const remember: string = String.raw`
local keptClaim
if got then keptClaim = cmsgpack.pack({ now, leaseUntil, ids, got.overLimit, got.restarted, got.epochs })
elseif taken == 1 then keptClaim = NOW .. '\0' .. leaseText .. '\0' .. ids[1]
else keptClaim = cmsgpack.pack({ now, leaseUntil, ids }) end
local list = known[1]
local stamp = list and tonumber(sub(list, 1, ${STAMP}))
if not stamp or now - stamp > ${MINUTE_MS} then
  ${make('noteWorker')}
  list = noteWorker(list, worker)
end
if #list > ${MAX_REQUESTS} then
  ${make('forgetOldRequests')}
  list = forgetOldRequests(list, worker)
end
call('HSET', REPLIES, worker, list .. '\0' .. request, reply, keptClaim)
`;
