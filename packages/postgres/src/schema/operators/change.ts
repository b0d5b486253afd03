import { CHANGE_MARKS } from '../../record/changes.ts';
import { longBytes, noteLong } from '../exchange/long-texts.ts';
import { byHash, hasId, unnestNumbered } from '../fragments.ts';
import { keepKeys } from '../keeping-functions.ts';
import { isClaimed } from '../leases.ts';
import { ACTIVE, answer, CONTINUED, DEAD, destination, state, WAITING } from '../letters.ts';
import { seenOf } from '../rows.ts';
import { head, passOn } from '../signatures.ts';
import { LOCATION } from './locations.ts';

const FORGET = `'${CHANGE_MARKS.forget}'`;
const REQUEST_CANCEL = `'${CHANGE_MARKS.requestCancel}'`;

/** The ids of runs by the state in which they were seen. */
const seenWhere = (condition: string): string =>
  `array (select id from unnest(p_ids, p_seen) as s (id, seen) where left(seen, 1) ${condition})`;

const ASKED = {
  id: 'p_ids',
  seen: 'p_seen',
  destination: 'string_to_array(p_destinations, null)',
} as const;

/** Deletes the runs that are to be forgotten; their keys stay known for a time. */
const FORGET_RUNS = `
  if strpos(p_destinations, ${FORGET}) > 0 then${byHash(`
    with forgotten as (
      delete from run r using unnest(v_runs) f join ${unnestNumbered('a', ASKED)} on a.id = f.id
      where ${hasId('r', 'f.id')} and a.destination = ${FORGET} returning r.id, r.is_keyed, r.ended_at
    ), keys as (${keepKeys('forgotten', 'v_now')}  )
    insert into tally (submitted, forgotten) select 0, count(*) from forgotten having count(*) > 0;`)}
  end if;`;

/** Writes runs as a settlement does. One that is given no record keeps that of its latest settlement; without one, its columns are enough. */
const WRITE_RUNS = `
  if translate(p_destinations, ${FORGET} || ${REQUEST_CANCEL}, '') <> '' then${byHash(`
    with asked as materialized (
    select *, case when destination in ${CONTINUED} then nextval('back_order') end as ord
    from ${unnestNumbered('input', {
      ...ASKED,
      at: 'p_instants',
      error: 'p_error_names',
      group_id: 'v_groups',
      title: 'p_group_titles',
      spent: 'p_spent',
      result: 'p_results',
      record: 'p_records',
    })}
  ), written as (
    update run r set
      state = case a.destination when ${destination('schedule')} then ${state('scheduled')}
        when ${destination('back')} then ${state('submitted')} else a.destination end::"char",
      ord = coalesce(a.ord, v_end),
      created_at = case when a.record is null and a.destination = ${destination('back')} then coalesce(r.created_at, r.submitted_at)
        else r.created_at end,
      submitted_at = case when a.record is not null then null
        when a.destination = ${destination('back')} then a.at else r.submitted_at end,
      run_at = case when a.destination in ${CONTINUED} and (a.record is null or a.destination = ${destination('schedule')}) then a.at
        when a.record is null then r.run_at end,
      claimed_at = null, heartbeat_at = null,
      ended_at = case when a.destination not in ${CONTINUED} then a.at end,
      holds_key = r.holds_key and r.keeps_key is true and a.destination in ${CONTINUED},
      is_dead = a.destination in ${DEAD}, error_group = a.group_id, spent = a.spent, result = a.result,
      error_name = a.error,
      record = coalesce(a.record, r.record)
    from unnest(v_runs) f join asked a on a.id = f.id
    where ${hasId('r', 'f.id')} and a.destination not in (${FORGET}, ${REQUEST_CANCEL})
    returning a.n, r.ctid as row_at, r.id, r.lane, r.state, r.ord, r.run_at, r.key, r.is_dead, r.keep_ms, r.error_group, a.title,
      r.spent, r.ended_at, ${longBytes('r')} as long
  ), ready_again as (
    insert into ready (lane, ord, id, key, row_at) select lane, ord, id, key, row_at from written where state = ${state('submitted')}
  ), for_later as (
    insert into scheduled (lane, run_at, ord, id, row_at) select lane, run_at, ord, id, row_at from written where state = ${state('scheduled')}
  ), finished_now as (
    insert into finished (ord, count, ids, rows_at) select v_end, count(*), array_agg(id order by n), array_agg(row_at order by n)
    from written where state not in ${WAITING} and not is_dead and keep_ms is null having count(*) > 0
  )
  select array_agg(distinct lane) filter (where state = ${state('submitted')}),
    array_agg(distinct lane) filter (where state = ${state('scheduled')}),
    coalesce(bool_or(keep_ms is not null and state not in ${WAITING}), false),
    count(*) filter (where state not in ${WAITING} and not is_dead and keep_ms is null),
    array_agg(id) filter (where keep_ms is not null and state not in ${WAITING} and not is_dead),
    array_agg((lane, error_group, title, id, spent, ended_at, v_end, n)::dead_letter) filter (where is_dead),
    coalesce(sum(long) filter (where state not in ${WAITING} and not is_dead and keep_ms is null), 0)
  into v_ready, v_later, v_results, v_finished, v_awaited, v_dead, v_long from written;`)}${noteLong('v_end', 'v_long')}
  if v_dead is not null then
    perform join_groups(v_dead);
  end if;
  if v_awaited is not null then
    perform keep_awaited(v_awaited);
  end if;
  end if;`;

/** Leaves cancel requests. A run that is being settled is locked, and skipped. */
const REQUEST_CANCELS = `
  if strpos(p_destinations, ${REQUEST_CANCEL}) > 0 then
    v_rows := array (
      select r.row_at from ${unnestNumbered('a', ASKED)}, lateral (
        select ctid as row_at from run where ${hasId('run', 'a.id')}
          and state in (${state('submitted')}, ${state('started')}) for update skip locked) r
      where a.destination = ${REQUEST_CANCEL});
    with requested as (
      update run r set wants_cancel = true from ${unnestNumbered('a', ASKED)}
      where r.ctid = any (v_rows) and r.id = a.id and a.destination = ${REQUEST_CANCEL} and ${seenOf('r', isClaimed('r'))} = a.seen
      returning r.id
    )
    select array_agg(id) into v_requested from requested;
  end if;`;

/**
 * Writes runs that no worker holds, and cancel requests of those that one does, each only if it is still what was seen: \`change\` of
 * the port. Ids must not repeat.
 *
 * 1. \`p_destinations\` has a letter for each, as that of a settlement has: the back of its lane, the schedule, or an end state, in small
 *    letters for a dead letter; or a mark: the run is to be forgotten, or to get a cancel request.
 * 2. \`p_instants\`: when it is due in the schedule, when it was submitted again, or when it ended.
 * 3. The operation of a step is locked first; then what \`lock_locations\` locks. What was seen is compared in a statement that begins
 *    when they are locked.
 * 4. Runs that another client is moving or settling are answered \`locked\`: its transaction may be a handler's, and take long.
 */
export const CHANGE: string = `
create function ${head('change_runs')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_end bigint := nextval('end_order');
  v_waiting text[] := ${seenWhere(`in ${WAITING}`)};
  v_ended text[] := ${seenWhere(`not in ${ACTIVE}`)};
  v_runs location[];
  v_groups text[];
  v_ready text[];
  v_later text[];
  v_results boolean := false;
  v_finished bigint := 0;
  v_long bigint := 0;
  v_awaited text[];
  v_dead dead_letter[];
  v_rows tid[];
  v_requested text[];
  v_unparked text[];
  v_done text[];
  v_answers text;
  v_setting text;
begin
  if not begin_step(p_operation, p_epoch) then
    return json_build_object('isFenced', true)::text;
  end if;
  if cardinality(v_waiting) > 0 then
    select array_agg(r) into v_runs from lock_waiting(v_waiting) r;
  end if;
  if cardinality(v_ended) > 0 then
    select v_runs || array_agg(r) into v_runs from lock_locations(v_ended, true) r;
  end if;
${byHash(`
  select array_agg((${LOCATION.map((name) => `f.${name}`).join(', ')})::location) into v_runs
  from unnest(v_runs) f join ${unnestNumbered('a', ASKED)} on a.id = f.id join run r on ${hasId('r', 'f.id')}
  where ${seenOf('r', 'false')} = a.seen;`)}
  if cardinality(v_ended) > 0 then
    perform leave_groups(array (select id from unnest(v_runs) where is_dead));
  end if;
  perform remove_from_locations(v_runs);
  if p_group_ids is not null then
    v_groups := admit_groups(array (
      select f.lane from ${unnestNumbered('a', ASKED)} left join unnest(v_runs) f on f.id = a.id order by n), p_group_ids);
  end if;${FORGET_RUNS}${WRITE_RUNS}${REQUEST_CANCELS}
  v_unparked := unpark_runs(keys_of(array (select r from unnest(v_runs) r where r.state in ${WAITING})));
  if v_ready is not null or v_later is not null or v_unparked is not null or v_results then
    perform notify_waiters(v_ready || v_unparked, v_later, v_results);
  end if;
  v_done := array (select id from unnest(v_runs)) || v_requested;
  if p_operation is not null then
    perform ${passOn('end_step', {
      done: 'cardinality(v_done)',
      skipped: 'p_skipped + cardinality(p_ids) - cardinality(v_done)',
    })};
  end if;
  if cardinality(v_done) = cardinality(p_ids) then
    v_answers := repeat(${answer('change', 'done')}, cardinality(p_ids));
  else
    select coalesce(string_agg(case when a.id = any (v_done) then ${answer('change', 'done')}
      when r.id is null then ${answer('change', 'gone')}
      when ${seenOf('r', isClaimed('r'))} = a.seen then ${answer('change', 'locked')}
      else ${answer('change', 'changed')} end, '' order by n), '') into v_answers
    from ${unnestNumbered('a', ASKED)} left join run r on ${hasId('r', 'a.id')};
  end if;
  return json_build_object('ready', v_ready, 'later', v_later, 'unparked', v_unparked, 'results', v_results, 'finished', v_finished,
    'long', v_long, 'answers', v_answers)::text;
end
$$;
`;
