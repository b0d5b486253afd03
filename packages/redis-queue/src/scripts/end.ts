import { APART_TEXTS, BODY, FLAGS, UNREADABLE_MARK } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { ended } from './library/ended.ts';
import { lanes } from './library/lanes.ts';
import { slots } from './library/slots.ts';
import { waiting } from './library/waiting.ts';
import { answer, field } from './lua.ts';

const main = `
local ids, seen, next, stacks, results, groupTitles = unpack(cmsgpack.unpack(ARGV[3]))
readTitles(groupTitles)
checkRights()
writeWithoutMemory()
return endWaiting(ids, ${answer('end', 'done')}, function(index, body, record)
  local id, new = ids[index], next[index]
  if new == '${UNREADABLE_MARK}' then return nil, ${answer('end', 'requested')} end
  if new == '' or (record or sub(body, ${field(BODY, 'createdAt')})) ~= seen[index] then return nil, ${answer('end', 'changed')} end
  if isNoted(body) then new = withFlags(new, flagsOf(new) + ${FLAGS.noted}) end
  -- As a settlement does it: texts that are kept apart come before the record.
  if hasStack(new) then call('HSET', STACKS, id, stacks[index])
  elseif record and hasStack(record) then call('HDEL', STACKS, id) end
  if hasLargeResult(new) then call('HSET', LARGE, '${APART_TEXTS.result}' .. id, results[index]) end
  return new
end)
`;

/**
 * Ends waiting runs with the records that core made, each only if its record is still the one that was read, and leaves a cancel
 * request for the workers of started ones. A run without a record is recognized by when it was submitted.
 */
export const endScript: Script = composeScript({
  library: [basics, slots, ended, cancelledInLane, lanes, waiting],
  main,
});
