import { defineScript, type Script } from '../store/script.ts';
import { concurrency } from './library/concurrency.ts';
import { ended } from './library/ended.ts';
import { prelude } from './library/prelude.ts';

const setAsideLeased = `
local ids, why = cmsgpack.unpack(ARGV[3]), ARGV[4]
writeWithoutMemory()
for index = 1, #ids do
  local id = ids[index]
  local body = call('HGET', BODY, id)
  if call('ZREM', LEASES, id) == 1 then
    isHeldUnknown = true
    setAside(id, body and laneOf(body) or '', why)
  end
end
writeHeld()
writeCounts()
return #ids
`;

/** Sets started runs aside that we could not read. */
export const setAsideScript: Script = defineScript(prelude, ended, concurrency, setAsideLeased);
