import {
  dieAfterAttempts,
  dieByHand,
  dieElsewhere,
  dieInAnyOrder,
  dieOneByOne,
  fillLane,
} from '../support/telling-scenes/groups.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { tellCase } from '../support/telling-scenes/scene.ts';

/** Mistakes with error groups. */
export const GROUP_MUTANTS: readonly Mutant[] = [
  {
    name: 'a lane has any number of groups',
    right: 'v_is_full := v_count >= 1000 and',
    wrong: 'v_is_full := v_count > 1000 and',
    scene: fillLane,
  },
  {
    name: 'a lane has one group less than it may have',
    right: 'v_is_full := v_count >= 1000 and',
    wrong: 'v_is_full := v_count >= 999 and',
    scene: fillLane,
  },
  {
    name: 'groups that come in one call are no new ones for one another',
    right: '    v_count := v_count + 1;\n',
    wrong: '',
    scene: tellCase('a lane has 1000 groups, and counts the rest under other until one of them is empty'),
  },
  {
    name: 'a full lane counts its own groups under other, too',
    right: ' order by k.seq desc limit 1)',
    wrong: ' and false)',
    scene: fillLane,
  },
  {
    name: 'what counts the rest is one of the groups of a lane',
    right: ` and id <> 'other')`,
    wrong: ')',
    scene: fillLane,
  },
  {
    name: 'the groups of all lanes together are limited',
    right: `from error_group where lane = v_lane and id <> 'other'`,
    wrong: `from error_group where id <> 'other'`,
    scene: tellCase('a lane has 1000 groups, and counts the rest under other until one of them is empty'),
  },
  {
    name: 'the groups of a call are admitted in another order than they are asked for',
    right: 'array_agg(n) as places from',
    wrong: 'array_agg(1) as places from',
    scene: fillLane,
  },
  {
    name: 'a dead letter that is counted under other has the group of its settlement',
    right: 'error_group = v_groups[s.group_number], spent = s.spent',
    wrong: 'error_group = p_group_ids[s.group_number], spent = s.spent',
    scene: fillLane,
  },
  {
    name: 'the rest has the title of its latest error',
    right: `case group_id when 'other' then 'Other errors' else (array_agg(title`,
    wrong: `case group_id when '' then 'Other errors' else (array_agg(title`,
    scene: fillLane,
  },
  {
    name: 'a group is seen first when its latest run ended',
    right: 'sum(spent), min(ended_at), max(ended_at)',
    wrong: 'sum(spent), max(ended_at), max(ended_at)',
    scene: dieInAnyOrder,
  },
  {
    name: 'of the runs of one call the last one is the latest',
    right: '(array_agg(id order by ended_at desc, n desc))[1]',
    wrong: '(array_agg(id order by n desc))[1]',
    scene: dieInAnyOrder,
  },
  {
    name: 'of runs that end at the same instant the first one is the latest',
    right: 'order by last_at desc nulls last, latest_ord desc))[1] as latest_id',
    wrong: 'order by last_at desc nulls last, latest_ord))[1] as latest_id',
    scene: dieInAnyOrder,
  },
  {
    name: 'a group has the title of its first run',
    right: 'order by last_at desc nulls last, latest_ord desc))[1] as title',
    wrong: 'order by last_at, latest_ord))[1] as title',
    scene: dieInAnyOrder,
  },
  {
    name: 'a dead letter counts as one attempt',
    right: 'count(*), sum(spent), min(ended_at)',
    wrong: 'count(*), count(*), min(ended_at)',
    scene: dieAfterAttempts,
  },
  {
    name: 'a run that is failed by hand counts no attempts',
    right: 'spent = a.spent, result',
    wrong: 'spent = 0, result',
    scene: dieByHand,
  },
  {
    name: 'a run that is failed by hand is counted under other',
    right: 'error_group = a.group_id, spent',
    wrong: `error_group = 'other', spent`,
    scene: dieByHand,
  },
  {
    name: 'a run leaves its attempts in its group',
    right: '-count(*), -sum(r.spent)',
    wrong: '-count(*), 0',
    scene: dieAfterAttempts,
  },
  {
    name: 'a run that is redriven or discarded stays in its group',
    right: 'perform leave_groups(array (select id from unnest(v_runs) where is_dead));',
    wrong: '',
    scene: dieElsewhere,
  },
  {
    name: 'a run that is redriven still names its group',
    right: 'error_group = a.group_id, spent = a.spent',
    wrong: 'error_group = coalesce(a.group_id, r.error_group), spent = a.spent',
    scene: tellCase('a redriven run leaves its group with its attempts: keep'),
  },
  {
    name: 'an empty group stays, and begins where it was',
    right: 'from old group by lane, id having sum(count) <> 0',
    wrong: 'from old group by lane, id',
    scene: dieElsewhere,
  },
  {
    name: 'a group of one is lost when groups are summed up',
    right: 'from old group by lane, id having sum(count) <> 0',
    wrong: 'from old group by lane, id having sum(count) > 1',
    scene: tellCase('a discarded run leaves its group with its attempts'),
  },
  {
    name: 'a group begins anew when it is summed up',
    right: 'min(first_at) as first_at',
    wrong: 'max(first_at) as first_at',
    scene: dieOneByOne,
  },
  {
    name: 'the sample of a group is a run that has left it',
    right: 'and r.is_dead and r.lane = p.lane and r.error_group = p.id)',
    wrong: 'and r.is_dead)',
    scene: dieElsewhere,
  },
  {
    name: 'the sample of a group that its latest run has left is its last one by id',
    right: 'and r.lane = p.lane order by r.id limit 1)',
    wrong: 'and r.lane = p.lane order by r.id desc limit 1)',
    scene: dieElsewhere,
  },
  {
    name: 'dead letters of a group are listed by id alone',
    right: 'and (r.lane, r.id) > (p_after_name, p_after_id) order by r.lane, r.id limit',
    wrong: 'and (r.lane, r.id) > (p_after_name, p_after_id) order by r.id limit',
    scene: tellCase('the dead letters of a group are listed by lane, then by id'),
  },
  {
    name: 'dead letters of a group are listed with those of other groups',
    right: 'r.error_group = p_error_group and r.lane = p_lane',
    wrong: 'r.lane = p_lane',
    scene: dieInAnyOrder,
  },
  {
    name: 'groups with most dead letters come last',
    right: 'order by count desc, lane, id limit p_limit + 1',
    wrong: 'order by count, lane, id limit p_limit + 1',
    scene: dieInAnyOrder,
  },
  {
    name: 'groups of equal size are left out behind a page',
    right: 'or count = p_after_count and (lane, id) > (p_after_lane, p_after_id)',
    wrong: '',
    scene: tellCase('groups come by pages, those with most dead letters first, then by lane and id'),
  },
];
