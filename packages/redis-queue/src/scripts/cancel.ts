import { BODY } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { ended } from './library/ended.ts';
import { lanes } from './library/lanes.ts';
import { slots } from './library/slots.ts';
import { waiting } from './library/waiting.ts';
import { answer, field, firstRecord, lateInstant, letter, rewritten } from './lua.ts';

/** Cancels the waiting ones of the runs `ids`. */
export const cancelWaiting: string = `
return endWaiting(ids, ${answer('cancel', 'cancelled')}, function(_, body, record)
  if record then
    return ${rewritten('record', { state: letter('cancelled'), endedAt: 'NOW', laneSeq: 'NO_SEQ' })}
  end
  local createdAt = sub(body, ${field(BODY, 'createdAt')})
  return ${firstRecord({
    state: letter('cancelled'),
    flags: 'freshFlags(body)',
    submittedAt: 'createdAt',
    endedAt: 'NOW',
    runAt: lateInstant('createdAt'),
  })}
end)
`;

/** Cancels waiting runs, and leaves a cancel request for the workers of started ones. */
export const cancelScript: Script = composeScript({
  library: [basics, slots, ended, cancelledInLane, lanes, waiting],
  main: `
local ids = cmsgpack.unpack(ARGV[3])
checkRights()
writeWithoutMemory()
${cancelWaiting}
`,
});
