import { luaText } from '../support/lua-text.ts';
import { askAboutDueTimes, askAboutLanes } from '../support/telling-scenes/insight.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';

/** Mistakes in what operators are told. */
export const INSIGHT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a lane counts what was cancelled in it',
    right: 'math.max(0, length - leftOver)',
    wrong: 'length',
    scene: askAboutLanes,
  },
  {
    name: 'a lane leaves out what waits at its front',
    right: 'local waiting = ready + front + parked + behind',
    wrong: 'local waiting = ready + parked + behind',
    scene: askAboutLanes,
  },
  {
    name: 'a lane leaves out what waits for its key',
    right: 'local waiting = ready + front + parked + behind',
    wrong: 'local waiting = ready + front + behind',
    scene: askAboutLanes,
  },
  {
    name: 'the next run of a lane is not the one at its front',
    right: 'if front then return sub(front',
    wrong: 'if false then return sub(front',
    scene: askAboutLanes,
  },
  {
    name: 'the next run of a lane is one that was cancelled',
    right: 'if left == 0 then return id end',
    wrong: 'if left >= 0 then return id end',
    scene: askAboutLanes,
  },
  {
    name: 'a run of a lane is due since it was created',
    right: 'if record and not isShort(record) and isRecord(record) then return tonumber',
    wrong: 'if false then return tonumber',
    scene: askAboutLanes,
  },
  {
    name: 'a run without a record is not claimable',
    right: `return body and tonumber(${luaText('fieldOf(body, Body.createdAt)')}) or nil`,
    wrong: 'return nil',
    scene: askAboutLanes,
  },
  {
    name: 'what is due is not claimable before a claim promotes it',
    right: 'if runAt and (claimableSince < 0 or runAt < claimableSince) then',
    wrong: 'if false then',
    scene: askAboutLanes,
  },
  {
    name: 'started runs are counted by no lane',
    right: 'local hash = startedLaneHashOf(record)',
    wrong: 'local hash = sub(record, 1, 1)',
    scene: askAboutLanes,
  },
  {
    name: 'a run counts in the span that ends when it is due',
    right: "'(' .. tag .. '\\0' .. dueText(from + last * bucketMs)",
    wrong: "'(' .. tag .. '\\0' .. dueText(from + last * bucketMs + 1)",
    scene: askAboutDueTimes,
  },
  {
    name: 'only one half of the spans is counted',
    right: 'countSpans(tag, middle + 1, last)',
    wrong: '',
    scene: askAboutDueTimes,
  },
];
