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
import { submitSomeRuns } from '../submit/some-runs.ts';
import { submitRare } from '../submit.ts';

const state = `
local ARGV = ARGV
local firstsCount, plainCount, FIRSTS_AT, TEXTS_AT = 0, 0, ${EXCHANGE.length}, ${EXCHANGE.length + 1}
local SUBMITS_AT = tonumber(ARGV[#ARGV])
`;

const submitAccepted = `
local tags, lanes, dues = unpack(cmsgpack.unpack(ARGV[SUBMITS_AT]))
local accepted = {}
for index = 1, #answers do
  if sub(answers, index, index) == ${answer('settle', 'ok')} then accepted[#accepted + 1] = index end
end
if #accepted == 0 then return end
${make('submitRuns')}
submitRuns(argumentsOf(accepted, SUBMITS_AT + 1, { tags = tags, lanes = lanes, dues = dues }))
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
    { signature: 'submitAccepted(answers)', library: [basics, submitSomeRuns], body: submitAccepted },
    // Its parameter is in place of the arguments of the script.
    { signature: 'submitRuns(ARGV)', library: [basics, ended, cancelledInLane, lanes], body: submitRare },
  ],
  main: `
${make('settleAll')}
local answers = settleAll()
return { now, answers }
`,
});
