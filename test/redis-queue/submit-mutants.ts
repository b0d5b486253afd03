import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { leaveWhileParked, waitForSlots } from '../support/telling-scenes/slots.ts';
import {
  cancelWherever,
  comeBackToTheLane,
  redriveAndDiscard,
  redriveLater,
  submitKnownIds,
} from '../support/telling-scenes/waiting.ts';

/** Mistakes in submissions, and in what is in the lanes. */
export const SUBMIT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a list leaves out what is parked',
    right: "local parked = call('ZRANGEBYLEX', PARKED_BY_LANE, low,",
    wrong: "local parked = call('ZRANGEBYLEX', PARKED_BY_LANE, '(' .. tag .. '\\255',",
    scene: waitForSlots,
  },
  {
    name: 'a list shows a run where it was before it left its lane',
    right: 'return last and last > index',
    wrong: 'return false',
    scene: comeBackToTheLane,
  },
  {
    name: 'a run that is cancelled while it is parked stays among those of its lane',
    right: "call('ZREM', PARKED_BY_LANE, lane .. '\\0' .. seq .. id)",
    wrong: '',
    scene: leaveWhileParked,
  },
  {
    name: 'a cancelled run is not counted as cancelled in its lane',
    right: "changeCancelled(lane .. '\\0' .. id, 1)",
    wrong: '',
    scene: cancelWherever,
  },
  {
    name: 'a submit of one run does not know that its id exists',
    right: "if redis.pcall('HSETNX', BODY, ARGV[4], NOW .. ARGV[5]) ~= 1 then break end",
    wrong: "call('HSET', BODY, ARGV[4], NOW .. ARGV[5])",
    scene: submitKnownIds,
  },
  {
    name: 'a submit of several runs does not know that an id exists',
    right: 'areNew = areNew and not known[index]',
    wrong: 'areNew = true',
  },
  {
    name: 'a submit creates a run twice whose id comes twice in one call',
    right: 'if known[index] or seen[id] then return true end',
    wrong: 'if known[index] then return true end',
    scene: submitKnownIds,
  },
  {
    name: 'a submit of several runs does not notice that an id comes twice',
    right: "if call('HSET', BODY, unpack(bodies)) < count then",
    wrong: "if call('HSET', BODY, unpack(bodies)) < 0 then",
    scene: submitKnownIds,
  },
  {
    name: 'an id that came twice in one call stays in its lane twice',
    right: "call('LTRIM', LANE, 0, -count - 1)",
    wrong: '',
  },
  {
    name: 'a redrive for later puts the run into its lane, too',
    right: 'waitingSchedules[#waitingSchedules + 1] = { lane, id, new }\n  else',
    wrong: 'waitingSchedules[#waitingSchedules + 1] = { lane, id, new }\n  end do',
    scene: redriveLater,
  },
  {
    name: 'a redrive ignores when a run is due',
    right: '  putOnSchedule(waitingSchedules, tags, waitingRecords)\n',
    wrong: '',
    scene: redriveLater,
  },
  {
    name: 'a submit creates a run with the name of a forgotten one',
    right: "if call('EXISTS', CANCELLED_IN_LANE, AWAITED, NAMES) > 0 then break end",
    wrong: '',
    scene: redriveAndDiscard,
  },
  {
    name: 'a submit does not count the runs that it creates',
    right: "call('HINCRBY', META, 'created', count)",
    wrong: '',
  },
];
