import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { ended } from './library/ended.ts';

const names = `
writeWithoutMemory()
-- Here too, because an idle queue has no other calls.
expireAwaited()
forgetNames(0)
local tags = call('SMEMBERS', LANES)
writeCounts()
return tags
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

/** Returns the lanes that may have runs that wait. */
export const namesScript: Script = composeScript({ library: [basics, ended], main: names });

/** Counts the runs that wait in each of these lanes. */
export const depthsScript: Script = composeScript({
  library: [basics, ended, cancelledInLane],
  main: depths,
});
