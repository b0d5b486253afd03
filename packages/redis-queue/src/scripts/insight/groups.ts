import { composeScript, type Script } from '../../store/store.ts';
import { basics } from '../library/basics.ts';
import { errorGroups } from './count-groups.ts';

const groups = String.raw`
local all, found = call('HGETALL', GROUPS), {}
for index = 1, #all, 2 do
  if find(all[index], '\0', 1, true) then
    found[#found + 1] = all[index]
    found[#found + 1] = all[index + 1]
  end
end
return found
`;

const samples = String.raw`
local asked, found = cmsgpack.unpack(ARGV[1]), {}
for index = 1, #asked do
  local tag, group, id = unpack(asked[index])
  if not call('ZSCORE', GROUPED, memberOfGroup(tag, group, id)) then
    local first = call('ZRANGEBYLEX', GROUPED, '[' .. memberOfGroup(tag, group, ''), '(' .. group .. '\0' .. tag .. '\1', 'LIMIT', 0, 1)[1]
    if first then id = sub(first, #memberOfGroup(tag, group, '') + 1) end
  end
  found[index] = id
end
return found
`;

/** Returns the names and the figures of all groups, in turn. */
export const groupsScript: Script = composeScript({ library: [basics], main: groups });

/** Returns for each tag, group and id this id, or, if that has left the group, the first one that the group has. */
export const samplesScript: Script = composeScript({ library: [basics, errorGroups], main: samples });
