import { RECORD } from '../../record/layout.ts';
import {
  behind,
  digits,
  field,
  fields,
  flagsAs,
  lastEpoch,
  letter,
  rewritten,
  startOf,
  zeros,
} from '../lua.ts';

/**
 * Returns a function that starts a run again which waits in the list of its lane, and has neither a slot nor notes. The function
 * returns the new record, as core's transition makes it; nil where the run is another one, or cannot be read.
 */
export const startAgain: string = String.raw`
got = got or { overLimit = {}, restarted = {}, records = {}, epochs = {}, seen = {} }
local epochs, restarted, records, newEpochs, seen = {}, got.restarted, got.records, got.epochs, got.seen
local PLAIN, WITH_STACK = ${letter('submitted')} .. ${flagsAs()}, ${letter('submitted')} .. ${flagsAs('hasStack')}
return function(id, record, hash)
  local head = sub(record, ${fields(RECORD, 'state', 'flags')})
  if head ~= PLAIN and head ~= WITH_STACK then return nil end
  local _, digits = find(record, '^%d+', ${startOf(RECORD, 'epoch')})
  if not digits or digits < ${RECORD.length} then return nil end
  local zero = find(record, '\0', ${behind(RECORD)}, true)
  if not zero or not find(record, '\0', zero + 1, true) then return nil end
  local epoch, first = sub(record, ${field(RECORD, 'epoch')}), sub(record, ${field(RECORD, 'firstStartedAt')})
  if not epochs[epoch] then
    if epoch >= ${lastEpoch} then return nil end
    epochs[epoch] = string.format(${digits(RECORD, 'epoch')}, tonumber(epoch) + 1)
  end
  if first == ${zeros(RECORD, 'firstStartedAt')} then first = NOW end
  local new = ${rewritten('record', {
    state: letter('started'),
    epoch: 'epochs[epoch]',
    firstStartedAt: 'first',
    startedAt: 'NOW',
    heartbeatAt: 'NOW',
    laneSeq: 'hash',
  })}
  if seen[id] then return nil end
  seen[id] = true
  local next = #restarted + 1
  restarted[next], records[next], newEpochs[next] = taken + 1, new, epochs[epoch]
  bytes = bytes + #new
  if head == WITH_STACK then
    got.hasStacks = true
    bytes = bytes + call('HSTRLEN', STACKS, id)
  end
  return new
end
`;

/** The stacks of the runs that do not start for the first time. */
export const restartedStacks: string = `
local restarted = {}
for index = 1, #got.restarted do restarted[index] = ids[got.restarted[index]] end
return stacksOf(restarted, got.records)
`;
