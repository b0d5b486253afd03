import { KEPT_ATTENDANCE } from '../../record/requests.ts';
import { composeScript, type Script } from '../../store/store.ts';
import { basics } from '../library/basics.ts';
import { attendances } from './attendances.ts';

const workers = `
local alive, kept = {}, call('HGETALL', ATTENDANCES)
for index = 1, #kept, 2 do
  local ${KEPT_ATTENDANCE.join(', ')} = attendanceOf(kept[index + 1])
  if aliveUntil and aliveUntil > now then
    alive[#alive + 1] = { kept[index], { ${KEPT_ATTENDANCE.join(', ')} } }
  end
end
return alive
`;

/** Returns the workers that are alive, each with what is kept of its attendance. */
export const workersScript: Script = composeScript({ library: [basics, attendances], main: workers });
