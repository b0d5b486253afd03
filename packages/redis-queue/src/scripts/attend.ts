import { ATTENDANCE, KEPT_ATTENDANCE } from '../record/requests.ts';
import { composeScript, type Script } from '../store/store.ts';
import { attendances } from './insight/attendances.ts';
import { basics } from './library/basics.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { ended } from './library/ended.ts';

const attend = `
local ${ATTENDANCE.join(', ')} = unpack(cmsgpack.unpack(ARGV[3]))
writeWithoutMemory()
if ttlMs > 0 then
  local aliveUntil, attendedAt = instantOf(now + ttlMs), now
  call('HSET', ATTENDANCES, worker, cmsgpack.pack({ ${KEPT_ATTENDANCE.join(', ')} }))
elseif ttlMs == 0 then call('HDEL', ATTENDANCES, worker) end
local attended, expired, kept = {}, {}, call('HGETALL', ATTENDANCES)
for index = 1, #kept, 2 do
  local aliveUntil, lanes = attendanceOf(kept[index + 1])
  if not aliveUntil or aliveUntil <= now then
    expired[#expired + 1] = kept[index]
  else
    for _, tag in ipairs(lanes) do attended[tag] = true end
  end
end
many('HDEL', ATTENDANCES, expired)
-- Here too, because an idle queue has no other calls.
expireAwaited()
forgetNames(0)
local unattended = {}
for _, tag in ipairs(call('SMEMBERS', LANES)) do
  if not attended[tag] then unattended[#unattended + 1] = tag end
end
writeCounts()
return unattended
`;

const depths = String.raw`
local tags, depths, COUNTED = cmsgpack.unpack(ARGV[3]), {}, 10000
writeWithoutMemory()
for index = 1, #tags do
  local tag, key = tags[index], laneKey(index)
  -- Another program may use the key; the other lanes are counted all the same.
  local isLane = type(redis.pcall('LLEN', key)) == 'number'
  if isLane and call('HLEN', CANCELLED_IN_LANE) > 0 then removeCancelled(key, tag) end
  local ready = isLane and call('LLEN', key) - cancelledInLaneOf(tag) or 0
  local front = call('ZLEXCOUNT', FRONT, '[' .. tag .. '\0', '(' .. tag .. '\1')
  local due = call('ZLEXCOUNT', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\0' .. dueText(now + 1))
  depths[index] = math.min(math.max(0, ready) + front + due, COUNTED)
  -- A lane without runs is removed from the lanes.
  if depths[index] == 0 and call('EXISTS', key) == 0
    and #call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', 0, 1) == 0 then
    call('SREM', LANES, tag)
  end
end
writeCounts()
return depths
`;

/** Records that a worker is alive, and returns the lanes that no living worker attends. */
export const attendScript: Script = composeScript({
  library: [basics, attendances, ended],
  main: attend,
});

/** Counts the runs that wait in each of these lanes. */
export const depthsScript: Script = composeScript({
  library: [basics, ended, cancelledInLane],
  main: depths,
});
