import { BODY_KINDS, KEY_UNTIL } from '../../packages/redis-queue/src/record/layout.ts';
import { luaText } from '../support/lua-text.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { reserveFullWindow, reserveSeveral } from '../support/telling-scenes/reservations.ts';
import { tellCase } from '../support/telling-scenes/scene.ts';
import {
  cancelRequestWhileHolding,
  claimOverTheLimit,
  endWhileHolding,
  holdOverTheLimit,
  holdWhileRetrying,
  leaveWithTheFreeSlot,
} from '../support/telling-scenes/slots.ts';
import {
  freeKeyAtEnd,
  freeKeyAtStart,
  freeKeyInTime,
  redriveWithoutKey,
  replaceByKey,
  submitUniquesTogether,
} from '../support/telling-scenes/uniques.ts';

/** Mistakes with unique keys, with slots that runs keep while they wait, and with limits of all workers. */
export const KEY_MUTANTS: readonly Mutant[] = [
  {
    name: 'a unique key until the start is not freed by the start',
    right: `if kind == '${KEY_UNTIL.started}' and (`,
    wrong: 'if false and (',
    scene: freeKeyAtStart,
  },
  {
    name: 'a unique key is not freed by the end of its run',
    right: `if not isStarted and state ~= ${luaText('State.submitted')} and state ~= ${luaText('State.scheduled')} then return false end`,
    wrong: '',
    scene: freeKeyAtEnd,
  },
  {
    name: 'a unique key whose time is over still conflicts',
    right: 'if untilAt then return untilAt > now and id or nil end',
    wrong: 'if untilAt then return id end',
    scene: freeKeyInTime,
  },
  {
    name: 'a redrive gives a unique key back',
    right: 'return isShort(record) or not hasRedrives(record)',
    wrong: 'return true',
    scene: redriveWithoutKey,
  },
  {
    name: 'a replacement keeps the old run',
    right: 'if isReplaced and cancelRun(other) then',
    wrong: 'if isReplaced then',
    scene: replaceByKey,
  },
  {
    name: 'a replacement does not get the key',
    right: '  flush()\n  giveKey(key, until_, id)\n',
    wrong: '  flush()\n  if not other then giveKey(key, until_, id) end\n',
    scene: replaceByKey,
  },
  {
    name: 'a unique submission does not see the one before it in the same call',
    right: '  indexes[1] = index\n  flush()\n',
    wrong: '  indexes[#indexes + 1] = index\n',
    scene: submitUniquesTogether,
  },
  {
    name: 'a retry frees the slot of a run that is to keep it',
    right: `if kind == '${BODY_KINDS.waitKept.plain}' or kind == '${BODY_KINDS.claimKept.plain}' then`,
    wrong: 'if false then',
    scene: holdWhileRetrying,
  },
  {
    name: 'a run that has kept its slot waits for another one',
    right: 'local isKeyFull = not takesSlot(entry.record) and',
    wrong: 'local isKeyFull =',
    scene: holdWhileRetrying,
  },
  {
    name: 'a run that has kept its slot does not free it by its final end',
    right: '  freeSlot(id)\n  return record\n',
    wrong: `  local kind = concurrencyOf(call('HGET', BODY, id))
  if kind ~= '${BODY_KINDS.waitKept.plain}' and kind ~= '${BODY_KINDS.claimKept.plain}' then freeSlot(id) end
  return record
`,
    scene: holdWhileRetrying,
  },
  {
    name: 'a run that is cancelled by its request keeps its slot',
    right: `record = applyCancelRequest(flags, dueAfter(record, ${luaText('batch[at + Settlement.dueInMs]')}))\n  if ${luaText('has(flags, Flag.takesSlot)')} then record = keepOrFreeSlot(id, record) end`,
    wrong: `if ${luaText('has(flags, Flag.takesSlot)')} then record = keepOrFreeSlot(id, record) end\n  record = applyCancelRequest(flags, dueAfter(record, ${luaText('batch[at + Settlement.dueInMs]')}))`,
    scene: cancelRequestWhileHolding,
  },
  {
    name: 'a run that does not wait for a slot keeps none while it is retried',
    right: ` or kind == '${BODY_KINDS.claimKept.plain}' then`,
    wrong: ' then',
    scene: holdOverTheLimit,
  },
  {
    name: 'a run over the limit takes a slot',
    right: 'elseif not full then changeSlots(key, 1) end',
    wrong: 'else changeSlots(key, 1) end',
    scene: claimOverTheLimit,
  },
  {
    name: 'a run that is ended while it keeps its slot does not free it',
    right: 'freeKeptSlot(id, old)\n    endedRecords[',
    wrong: 'endedRecords[',
    scene: endWhileHolding,
  },
  {
    name: 'a run that leaves the front of its lane leaves its free slot to nobody',
    right: '    unparkNext(key)\n    if key ~= lane',
    wrong: '    if key ~= lane',
    scene: leaveWithTheFreeSlot,
  },
  {
    name: 'a full window grants one more',
    right: 'local left = asked.limit - sum\n',
    wrong: 'local left = asked.limit - sum + 1\n',
    scene: reserveFullWindow,
  },
  {
    name: 'a bucket that is over still counts',
    right: 'if counts[index] >= first then',
    wrong: 'if true then',
    scene: reserveFullWindow,
  },
  {
    name: 'starts of one call are not counted for the next request of their limit',
    right: 'if counts then known[number], isChanged[number] = counts, true end',
    wrong: 'if counts then isChanged[number], known[number] = true, known[number] or counts end',
    scene: reserveSeveral,
  },
  {
    name: 'a run with a key of its own takes no slot of its lane',
    right: '    laneTakers[id] = true\n    changeSlots(tag, 1)\n',
    wrong: '',
    scene: tellCase('a run with a key of its own needs a slot of its lane, too, where the claim limits that'),
  },
  {
    name: 'a run with a key of its own never frees its slot of its lane',
    right: "if key == lane or call('HEXISTS', SLOTS_TAKEN, '\\1' .. id) == 0 then return end",
    wrong: 'do return end',
    scene: tellCase('a run with a key of its own frees the slots of both by: retry'),
  },
  {
    name: 'a run with a key of its own that waits for it keeps the turn of its lane',
    right: 'return false, key ~= tag and full == key',
    wrong: 'return false',
    scene: tellCase('a run that has waited for its lane and finds its own key full lets the next one start'),
  },
  {
    name: 'a run that waits for its lane takes the turn of its key away',
    right: 'then return unparkNext(key) end',
    wrong: 'then return end',
    scene: tellCase(
      'a run that waits for its lane leaves the turn of its key to the next one when it is cancelled',
    ),
  },
  {
    name: 'a run that leaves with the turn of its lane takes it away',
    right: 'if key ~= lane then unparkNext(lane) end',
    wrong: '',
    scene: tellCase(
      'a run that got its turn after it had waited for its lane can be cancelled, and the next one gets it',
    ),
  },
];
