import {
  dieAfterAttempts,
  dieByHand,
  dieElsewhere,
  dieInAnyOrder,
  fillLane,
} from '../support/telling-scenes/groups.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { tellCase } from '../support/telling-scenes/scene.ts';

/** Mistakes with error groups. */
export const GROUP_MUTANTS: readonly Mutant[] = [
  {
    name: 'a lane has any number of groups',
    right: 'if groupsOfLane(tag) >= 1000 then',
    wrong: 'if groupsOfLane(tag) > 1000 then',
    scene: fillLane,
  },
  {
    name: 'a lane has one group less than it may have',
    right: 'if groupsOfLane(tag) >= 1000 then',
    wrong: 'if groupsOfLane(tag) >= 999 then',
    scene: fillLane,
  },
  {
    name: 'a full lane counts its own groups under other, too',
    right: `if group.count > 0 or id == 'other' then return group end`,
    wrong: `if id == 'other' then return group end`,
    scene: fillLane,
  },
  {
    name: 'what counts the rest is one of the groups of a lane',
    right: `if group.count > 0 or id == 'other' then return group end`,
    wrong: 'if group.count > 0 then return group end',
    scene: fillLane,
  },
  {
    name: 'what counts the rest makes room when it is empty',
    right: `if group.count == 0 and name ~= 'other' then`,
    wrong: 'if group.count == 0 then',
    scene: fillLane,
  },
  {
    name: 'a lane that was full stays full',
    right: 'groupCounts[tag] = groupsOfLane(tag) - 1',
    wrong: 'groupCounts[tag] = groupsOfLane(tag)',
    scene: fillLane,
  },
  {
    name: 'a dead letter that is counted under other has the group of its settlement',
    right: 'if group.id == wanted then return record end',
    wrong: 'if true then return record end',
    scene: fillLane,
  },
  {
    name: 'a group is seen first when its first run was settled',
    right: 'if endedText < group.firstSeenAt then group.firstSeenAt = endedText end',
    wrong: '',
    scene: dieInAnyOrder,
  },
  {
    name: 'the latest run of a group is the one that was settled last',
    right: 'if endedText >= group.lastSeenAt then',
    wrong: 'if true then',
    scene: dieInAnyOrder,
  },
  {
    name: 'of runs that end at the same instant the first one is the latest',
    right: 'if endedText >= group.lastSeenAt then',
    wrong: 'if endedText > group.lastSeenAt or group.count == 1 then',
    scene: dieInAnyOrder,
  },
  {
    name: 'a group keeps the title of its first run',
    right: 'titles[group.id] or group.title or group.id',
    wrong: 'group.title or titles[group.id] or group.id',
    scene: dieInAnyOrder,
  },
  {
    name: 'a dead letter counts as one attempt',
    right: 'group.attempts + spentOf(record, at)',
    wrong: 'group.attempts + 1',
    scene: dieAfterAttempts,
  },
  {
    name: 'stalls are no attempts',
    right: ` + (tonumber(string.match(counters, '"stalls":(%d+)')) or 0)`,
    wrong: '',
    scene: dieAfterAttempts,
  },
  {
    name: 'a run leaves its attempts in its group',
    right: 'group.attempts - spentOf(record, at)',
    wrong: 'group.attempts',
    scene: dieAfterAttempts,
  },
  {
    name: 'a run that is redriven or discarded stays in its group',
    right: 'leaveGroup(id, record, tag)\n    return',
    wrong: 'return',
    scene: dieElsewhere,
  },
  {
    name: 'a run that has left is listed and shown with its old group',
    right: `if call('ZREM', GROUPED, memberOfGroup(tag, name, id)) == 0 then return end`,
    wrong: '',
    scene: dieElsewhere,
  },
  {
    name: 'an empty group stays, and begins where it was',
    right: '    if group.count > 0 then\n      kept',
    wrong: '    if group.count >= 0 then\n      kept',
    scene: dieElsewhere,
  },
  {
    name: 'the sample of a group is a run that has left it',
    right: `if not call('ZSCORE', GROUPED, memberOfGroup(tag, group, id)) then`,
    wrong: 'if false then',
    scene: dieElsewhere,
  },
  {
    name: 'dead letters of a group are listed in the order in which they died',
    right: `many('ZADD', GROUPED, newlyGrouped)`,
    wrong: `for index = 1, #newlyGrouped, 2 do newlyGrouped[index] = index end
  many('ZADD', GROUPED, newlyGrouped)`,
    scene: tellCase('the dead letters of a group are listed by lane, then by id'),
  },
  {
    name: 'an operator who fails a run gives its group no title',
    right: 'readTitles(groupTitles)\ncheckRights()\ncheckLanes()',
    wrong: 'checkRights()\ncheckLanes()',
    scene: dieByHand,
  },
];
