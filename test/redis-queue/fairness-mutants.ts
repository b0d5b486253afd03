import { luaText } from '../support/lua-text.ts';
import { askAboutLanes } from '../support/telling-scenes/insight.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { tellCase } from '../support/telling-scenes/scene.ts';

const takeTurns = tellCase('fairness: keys take turns, whatever was submitted first: in one claim');
const fillClaim = tellCase('fairness: a claim is filled by runs of one key, in their order');
const cancelHolder = tellCase(
  'fairness: the turn passes to the next run of the key when the one that has it is: cancelled',
);
const cancelBehind = tellCase(
  'fairness: a run behind the turn leaves the others where they are when it is: cancelled',
);
const cancelTwo = tellCase(
  'fairness: one cancel of the run that has the turn and the next one passes it to the third',
);
const cancelAll = tellCase('fairness: one cancel of all runs of a key leaves nothing of its turn');

/** Mistakes with the turns of fairness keys. */
export const FAIRNESS_MUTANTS: readonly Mutant[] = [
  {
    name: 'every run of a fairness key comes to its lane',
    right: 'if next(fair) then',
    wrong: 'if false then',
    scene: takeTurns,
  },
  {
    name: 'a claim passes no turn on',
    right: 'if fairness then leaveTurn(tag, fairness, id) end',
    wrong: '',
    scene: fillClaim,
  },
  {
    name: 'of the runs behind, the latest has the next turn',
    right: "seqText(call('HINCRBY', META, 'laneSeq', 1)) putBehind",
    wrong: "seqText(call('HINCRBY', META, 'laneSeq', -1)) putBehind",
    scene: fillClaim,
  },
  {
    name: 'the run that gets the turn keeps its order behind',
    right: `if record and isRecord(record) then call('HSET', RECORD, id, ${luaText('rewrite(record, { laneSeq = NO_SEQ })')}) end`,
    wrong: '',
    scene: cancelTwo,
  },
  {
    name: 'the run that gets the turn stays behind',
    right: 'leaveBehind(tag, fairness, sub(entry, #turn + 2)) if isNext then return id end',
    wrong: 'if isNext then return id end leaveBehind(tag, fairness, sub(entry, #turn + 2))',
    scene: fillClaim,
  },
  {
    name: 'nobody is known to have the turn that was passed on',
    right: "call('HSET', TURNS, turn, id) holders[turn] = id end leaveBehind",
    wrong: 'holders[turn] = id end leaveBehind',
    scene: cancelHolder,
  },
  {
    name: 'a run that is cancelled keeps its turn',
    right: 'if fairness and isListed(old) then leaveTurn',
    wrong: 'if false then leaveTurn',
    scene: cancelHolder,
  },
  {
    name: 'a run that is cancelled stays behind',
    right: 'if fairness and leaveBehind(lane, fairness, seq .. id) then return end',
    wrong: '',
    scene: cancelBehind,
  },
  {
    name: 'a cancel does not see that a run has got the turn of the one before',
    right: "old = call('HGET', RECORD, id) or nil",
    wrong: '',
    scene: cancelTwo,
  },
  {
    name: 'a turn is passed on to a run that the same call has ended',
    right: "if fairness then call('HSET', RECORD, unpack(endedRecords, #endedRecords - 1)) end",
    wrong: '',
    scene: cancelAll,
  },
  {
    name: 'the turn of a key without runs is kept',
    right: "call('HDEL', TURNS, turn) holders[turn] = nil",
    wrong: 'holders[turn] = nil',
    scene: cancelAll,
  },
  {
    name: 'a retry comes to its lane without a turn',
    right: 'if next(notedPushes) then',
    wrong: 'if false then',
    scene: tellCase('fairness: a run comes back by turn after: a retry'),
  },
  {
    name: 'what is due comes to its lane without a turn',
    right: 'if next(noted) then takeTurns',
    wrong: 'if false then takeTurns',
    scene: tellCase('fairness: scheduled runs come behind the turn of their key when they are due'),
  },
  {
    name: 'what is redriven comes to its lane without a turn',
    right: 'local order = fairness and takeTurn(laneOf(body), fairness, id)',
    wrong: 'local order',
    scene: tellCase('fairness: runs that are redriven come by turn'),
  },
  {
    name: 'runs behind turns make no room for due ones',
    right: 'if waiting > 0 and waiting < room then',
    wrong: 'if false then',
    scene: tellCase('fairness: a limit of due runs leaves the room to the runs that are behind a turn'),
  },
  {
    name: 'all lanes share the turn of a key',
    right: "return tag .. '\\0' .. fairness end",
    wrong: "return '\\0' .. fairness end",
    scene: tellCase('fairness: each lane has turns of its own'),
  },
  {
    name: 'a lane leaves out what is behind turns',
    right: 'local waiting = ready + front + parked + behind',
    wrong: 'local waiting = ready + front + parked',
    scene: askAboutLanes,
  },
  {
    name: 'depths leave out what is behind turns',
    right: 'front + due + behind, COUNTED',
    wrong: 'front + due, COUNTED',
    scene: tellCase('fairness: runs behind a turn are counted as waiting'),
  },
  {
    name: 'a list leaves out what is behind turns',
    right: "call('ZRANGEBYLEX', BEHIND_BY_LANE, low, high,",
    wrong: "call('ZRANGEBYLEX', BEHIND_BY_LANE, high, high,",
    scene: tellCase(
      'fairness: list returns runs behind a turn, too, those of a lane in the order in which they came',
    ),
  },
];
