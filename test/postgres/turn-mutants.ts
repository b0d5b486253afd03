import { cancelRuns } from '@retry/core/broker/kit';
import { keyed } from '../../packages/broker-contract/src/fairness/keyed.ts';
import { sqlText } from '../support/sql-text.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { release, runsOf, tell, tellCase } from '../support/telling-scenes/scene.ts';

const IN_ONE_CLAIM = tellCase('fairness: keys take turns, whatever was submitted first: in one claim');
const CANCELLED = tellCase(
  'fairness: the turn passes to the next run of the key when the one that has it is: cancelled',
);
const LEFT_BEHIND = tellCase(
  'fairness: a run behind the turn leaves the others where they are when it is: cancelled',
);

/** Mistakes with the turns of fairness keys. */
export const TURN_MUTANTS: readonly Mutant[] = [
  {
    name: 'every run of a fairness key has a turn',
    right: 'row_number() over (partition by lane, fairness_key order by ord) = 1 and',
    wrong: '',
    scene: IN_ONE_CLAIM,
  },
  {
    name: 'a run has a turn although its key has one',
    right: 'and not exists (select from kept k where k.lane = r.lane and k.key = r.fairness_key)',
    wrong: '',
    scene: tellCase('fairness: runs submitted one by one take turns as those of one call'),
  },
  {
    name: 'the keys of all lanes are one',
    right: 'select from kept k where k.lane = r.lane and k.key = r.fairness_key',
    wrong: 'select from turn k where k.key = r.fairness_key',
    scene: tellCase('fairness: each lane has turns of its own'),
  },
  {
    name: 'all keys of a lane have one turn',
    right: 'where k.lane = r.lane and k.key = r.fairness_key',
    wrong: 'where k.lane = r.lane',
    scene: tell(async ({ submit, claimIds }) => {
      await submit(...keyed('t1'));
      await submit(...keyed('t2', 'b1'));
      await claimIds();
    }),
  },
  {
    name: 'the turn passes to the run that came last',
    right: 'and key = p_key order by ord limit 1 for update skip locked) returning id',
    wrong: 'and key = p_key order by ord desc limit 1 for update skip locked) returning id',
    scene: tellCase('fairness: a claim is filled by runs of one key, in their order'),
  },
  {
    name: 'a run that gets the turn comes to the front',
    right: "o_ord := nextval('back_order');",
    wrong: "o_ord := -nextval('front_order');",
    scene: tellCase('fairness: runs without a key stand in the lane as ever'),
  },
  {
    name: 'a turn that is left stays with nobody',
    right: 'else delete from turn where ctid = v_turns[1]; return;',
    wrong: 'else return;',
    scene: tellCase('fairness: a key that has no run waiting has a turn again with its next one'),
  },
  {
    name: 'a claim passes no turn on',
    right: 'if (v_next.fairness_key is not null and v_next.ord > 0) then',
    wrong: 'if false then',
    scene: IN_ONE_CLAIM,
  },
  {
    name: 'a run that leaves without a claim passes no turn on',
    right: 'continue when not (v_left.fairness_key is not null and v_left.ord > 0);',
    wrong: 'continue;',
    scene: CANCELLED,
  },
  {
    name: 'a run that is given back passes a turn on',
    right: '(v_left.fairness_key is not null and v_left.ord > 0)',
    wrong: '(v_left.fairness_key is not null)',
    scene: tellCase('fairness: a run that was given back passes no turn on when it is: cancelled'),
  },
  {
    name: 'a run that leaves behind stays behind',
    right: sqlText(
      'delete from behind l using unnest(p_runs) r where r.state = State.submitted and r.fairness_key is not null',
    ),
    wrong: 'delete from behind l using unnest(p_runs) r where false and true',
    scene: LEFT_BEHIND,
  },
  {
    name: 'a claim is plain although a run has a fairness key',
    right: 'and r.fairness_key is null) is true',
    wrong: ') is true',
    scene: tell(async ({ broker, submit, claim, settle }) => {
      await submit(...keyed('t1'));
      await settle(...runsOf(await claim()).map(release));
      await claim();
      await broker.heartbeat([{ id: 't1', epoch: 2 }], 1_000);
    }),
  },
  {
    name: 'a run behind a turn counts as claimed',
    right: 'and r.key is null and r.fairness_key is null and',
    wrong: 'and r.key is null and',
    scene: LEFT_BEHIND,
  },
  {
    name: 'a retry comes without a turn',
    right: sqlText('where state = State.submitted and (fairness_key is null or ord < 0)'),
    wrong: sqlText('where state = State.submitted'),
    scene: tellCase('fairness: a run comes back by turn after: a retry'),
  },
  {
    name: 'a due run comes without a turn',
    right: 'from moved where fairness_key is null or ord < 0',
    wrong: 'from moved',
    scene: tellCase('fairness: scheduled runs come by turn when they are due'),
  },
  {
    name: 'due runs of a claim take the room of runs behind a turn',
    right: "select from behind where lane = p_lanes[v_lane] and key > '' limit v_room",
    wrong: "select from behind where lane = p_lanes[v_lane] and key > '' limit 0",
    scene: tellCase('fairness: a limit of due runs leaves the room to the runs that are behind a turn'),
  },
  {
    name: 'changes of one call pass turns on all at once',
    right: 'if cardinality(p_ids) > 1 and exists',
    wrong: 'if false and exists',
    scene: tell(async ({ broker, submit, claimIds }) => {
      await submit(...keyed('t1', 't2', 't3', 'b1', 'b2'));
      await cancelRuns(broker, ['t1', 'b1', 't2']);
      await claimIds();
    }),
  },
  {
    name: 'depths leave out runs behind a turn',
    right: "union all select from behind b where b.lane = asked.lane and b.key > '' union all",
    wrong: 'union all',
    scene: tellCase('fairness: runs behind a turn are counted as waiting'),
  },
];
