import { EXCHANGE } from '../../record/requests.ts';
import { make } from '../../store/compose.ts';
import { composeScript, type Script } from '../../store/store.ts';
import { basics } from '../library/basics.ts';
import { cancelledInLane } from '../library/cancelled-in-lane.ts';
import { ended } from '../library/ended.ts';
import { lanes } from '../library/lanes.ts';
import { settle, settlingEverything } from '../library/settle.ts';
import { slots } from '../library/slots.ts';
import { answer } from '../lua.ts';
import { submitRare } from '../submit.ts';

const state = `
local ARGV = ARGV
local firstsCount, plainCount, FIRSTS_AT, TEXTS_AT = 0, 0, ${EXCHANGE.length}, ${EXCHANGE.length + 1}
local SUBMITS_AT = tonumber(ARGV[#ARGV])
`;

// Submits by the code of the submit script, with arguments as that has them.
const submitAccepted = `
local tags, lanes, dues = unpack(cmsgpack.unpack(ARGV[SUBMITS_AT]))
local given, large, acceptedLanes, acceptedDues = { ARGV[1], ARGV[2], '' }, {}, {}, {}
for index = 1, #answers do
  if sub(answers, index, index) == ${answer('settle', 'ok')} then
    local at, count = SUBMITS_AT + index * 3 - 2, #acceptedLanes + 1
    given[count * 2 + 2], given[count * 2 + 3] = ARGV[at], ARGV[at + 1]
    if ARGV[at + 2] ~= '' then large[#large + 1] = ARGV[at + 2] end
    acceptedLanes[count] = lanes[index]
    acceptedDues[count * 2 - 1], acceptedDues[count * 2] = dues[index * 2 - 1], dues[index * 2]
  end
end
if #acceptedLanes == 0 then return end
given[3] = cmsgpack.pack({ tags, acceptedLanes, acceptedDues, #acceptedLanes, 0 })
for index = 1, #large do given[#given + 1] = large[index] end
${make('submitRuns')}
submitRuns(given)
`;

// Before the settlements are written: if the server refuses a write, both are sent again, and a run that was submitted is known then.
const submitBeforeWrites = `
${make('submitAccepted')}
submitAccepted(answers)
`;

/**
 * Settles runs each of which submits another one, and submits those of the settlements that are accepted.
 *
 * Arguments: those of an exchange whose settlements are all in \`others\`, with their long texts; packed, the tags of the lanes, for each
 * run to submit the number of its lane, and for each the two values of when it is due; of each run id, body, and the payload that is
 * kept apart or empty text; last, where the packed one is.
 */
export const settleAndSubmitScript: Script = composeScript({
  library: [basics],
  state,
  rare: [
    {
      signature: 'settleAll()',
      library: [basics, ended, slots, cancelledInLane, lanes, settle],
      body: settlingEverything(submitBeforeWrites),
    },
    { signature: 'submitAccepted(answers)', library: [basics], body: submitAccepted },
    // Its parameter is in place of the arguments of the script.
    { signature: 'submitRuns(ARGV)', library: [basics, ended, cancelledInLane, lanes], body: submitRare },
  ],
  main: `
${make('settleAll')}
local answers = settleAll()
return { now, answers }
`,
});
