import { composeScript, type Script } from '../../store/store.ts';
import { basics } from '../library/basics.ts';
import { ended } from '../library/ended.ts';
import { slots } from '../library/slots.ts';

const quarantineLeased = `
local ids, why = cmsgpack.unpack(ARGV[3]), ARGV[4]
writeWithoutMemory()
for index = 1, #ids do
  local id = ids[index]
  local body = call('HGET', BODY, id)
  if call('ZREM', LEASES, id) == 1 then
    areSlotsUnknown = true
    quarantine(id, body and laneOf(body) or '', why)
  end
end
writeSlots()
writeCounts()
return #ids
`;

/** Makes dead letters of started runs that could not be read. */
export const quarantineScript: Script = composeScript({
  library: [basics, ended, slots],
  main: quarantineLeased,
});
