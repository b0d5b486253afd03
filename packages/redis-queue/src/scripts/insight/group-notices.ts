import { composeScript, type Script } from '../../store/store.ts';
import { basics } from '../library/basics.ts';

/** How many groups one call looks at. */
export const MAX_TAKEN = 1_000;

const take = `
local names = call('ZRANGEBYLEX', CHANGED_GROUPS, '-', '+', 'LIMIT', 0, ${MAX_TAKEN})
if #names == 0 then return { names, names } end
checkRights()
many('ZREM', CHANGED_GROUPS, names)
return { names, readAll(GROUPS, names) }
`;

const read = `
return readAll(GROUPS, cmsgpack.unpack(ARGV[1]))
`;

// A group that was empty is looked at once more: it may have got a dead letter since it was read.
const mark = `
local names, counts = unpack(cmsgpack.unpack(ARGV[1]))
local marks, kinds, kept, empty, changed = readAll(GROUP_MARKS, names), {}, {}, {}, {}
checkRights()
writeWithoutMemory()
for index = 1, #names do
  local count, noticed = counts[index], tonumber(marks[index])
  kinds[index] = ''
  if count < 1 then
    if noticed then
      empty[#empty + 1] = names[index]
      changed[#changed + 1] = 0
      changed[#changed + 1] = names[index]
    end
  elseif not noticed or count >= 2 * noticed then
    kinds[index] = noticed and 'doubled' or 'new'
    kept[#kept + 1] = names[index]
    kept[#kept + 1] = string.format('%.0f', count)
  end
end
many('HSET', GROUP_MARKS, kept)
many('HDEL', GROUP_MARKS, empty)
many('ZADD', CHANGED_GROUPS, changed)
return kinds
`;

/** Returns the names of groups that have changed, and their figures. They count as unchanged from then on. */
export const takeGroupsScript: Script = composeScript({ library: [basics], main: take });

/** Returns the figures of groups, by their names; none for one that is empty. */
export const readGroupsScript: Script = composeScript({ library: [basics], main: read });

/**
 * Keeps the counts of groups that are new or have doubled, and returns for each `new`, `doubled` or nothing. `GROUP_MARKS`, a hash of
 * the first partition, has the count of the latest notice by lane and group.
 */
export const markGroupsScript: Script = composeScript({ library: [basics], main: mark });
