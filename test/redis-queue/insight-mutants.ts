import { BODY } from '../../packages/redis-queue/src/record/layout.ts';
import { field } from '../../packages/redis-queue/src/scripts/lua.ts';
import {
  askAboutDueTimes,
  askAboutGroupNotices,
  askAboutLanes,
  askAboutWorkers,
} from '../support/telling-scenes/insight.ts';
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
    right: 'local waiting = ready + front + parked',
    wrong: 'local waiting = ready + parked',
    scene: askAboutLanes,
  },
  {
    name: 'a lane leaves out what waits for its key',
    right: 'local waiting = ready + front + parked',
    wrong: 'local waiting = ready + front',
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
    right: `return body and tonumber(sub(body, ${field(BODY, 'createdAt')})) or nil`,
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
  {
    name: 'a worker whose registration has lapsed is listed',
    right: 'if aliveUntil and aliveUntil > now then',
    wrong: 'if aliveUntil then',
    scene: askAboutWorkers,
  },
  {
    name: 'a doubled group is noticed as new',
    right: "kinds[index] = noticed and 'doubled' or 'new'",
    wrong: "kinds[index] = 'new'",
    scene: askAboutGroupNotices,
  },
  {
    name: 'a group is noticed with each dead letter',
    right: 'count >= 2 * noticed',
    wrong: 'count > noticed',
    scene: askAboutGroupNotices,
  },
  {
    name: 'a group that lost its dead letters is noticed again',
    right: 'if count < 1 then\n    if noticed',
    wrong: 'if count < 4 then\n    if noticed',
    scene: askAboutGroupNotices,
  },
  {
    name: 'a group that was empty is never new again',
    right: "many('HDEL', GROUP_MARKS, empty)",
    wrong: '',
    scene: askAboutGroupNotices,
  },
  {
    name: 'a group that loses its dead letters has not changed',
    right: 'changed[#changed + 1] = name\n    if group.count',
    wrong:
      'if group.count > 0 then changed[#changed + 1] = name else changed[#changed] = nil end\n    if group.count',
    scene: askAboutGroupNotices,
  },
];
