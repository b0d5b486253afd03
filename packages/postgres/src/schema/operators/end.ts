import { MAX_ERRORS, PACKED_REST } from '@retry/core/broker/kit';
import { longBytes, noteLong } from '../exchange/long-texts.ts';
import { hasId, unnestNumbered } from '../fragments.ts';
import { isClaimed } from '../leases.ts';
import { ACTIVE, answer, DEAD, LOCKED, state } from '../letters.ts';
import { head } from '../signatures.ts';

/** The record of a run that ends with this outcome. What is not read any longer is not written again. */
const RECORD = `case a.ending
        when ${state('cancelled')} then r.record
        when ${state('completed')} then (read_record(r.record) - 'isDisposable')::text
        else add_error(with_carried(read_record(r.record), r.extras), jsonb_build_object('epoch', r.epoch, 'at', v_now) || a.error::jsonb)::text end`;

/** The attempts of a run, as `spentAttempts` of core's kit counts them. */
const SPENT = `read_count(read_record(r.record), 'failures') + read_count(read_record(r.record), 'stalls')`;

const ADD_ERROR = `
create function add_error(p_record jsonb, p_error jsonb) returns jsonb language sql immutable as $$
  select p_record - 'isDisposable' || jsonb_build_object('errors', (
    select coalesce(jsonb_agg(case jsonb_typeof(error) when 'object' then error - 'stack' when 'array' then error #- '{${PACKED_REST},stack}' else error end
      order by n), '[]')
    from jsonb_array_elements(case when jsonb_typeof(p_record -> 'errors') = 'array' then p_record -> 'errors' else '[]' end)
      with ordinality as earlier (error, n)
    where n > jsonb_array_length(p_record -> 'errors') - ${MAX_ERRORS - 1}) || p_error)
$$;

create function with_carried(p_record jsonb, p_extras text) returns jsonb language sql immutable as $$
  select case when p_extras is null or p_record ?| '{errors,resetAt}' then p_record else
    case when jsonb_typeof(read_record(p_extras) #> '{spent,firstStartedAt}') = 'number'
      then jsonb_build_object('firstStartedAt', read_record(p_extras) #> '{spent,firstStartedAt}') else '{}' end
    || p_record || jsonb_build_object('errors', coalesce((
    select jsonb_agg(error || '{"epoch": 0}' order by n)
    from jsonb_array_elements(case when jsonb_typeof(read_record(p_extras) #> '{spent,errors}') = 'array'
      then read_record(p_extras) #> '{spent,errors}' else '[]' end) with ordinality as carried (error, n)), '[]')) end
$$;
`;

/**
 * Ends waiting runs as an operator decides, and leaves a cancel request for the workers of started ones: \`end\` and \`cancel\` of the
 * port. Nothing is charged. Ids must not repeat.
 *
 * 1. \`p_endings\` has the letter of an end state for each, the small one for a dead letter, which also has an error.
 * 2. Runs that another client is moving or settling are answered \`locked\`, and the client asks again: their transaction may be a
 *    handler's, and take long.
 *
 * \`add_error\` adds an error to a record: the latest ones are kept, of which only the last has its stack. \`with_carried\` gives a record
 * that was not settled yet the errors and the first start that its run brought along.
 */
export const END: string = `${ADD_ERROR}create function ${head('end_runs')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_end bigint := nextval('end_order');
  v_waiting location[];
  v_ended text[];
  v_finished text[];
  v_long bigint;
  v_awaited text[];
  v_results boolean;
  v_locked tid[];
  v_requested text[];
  v_unparked text[];
  v_groups text[];
  v_dead dead_letter[];
begin
  select array_agg(r) into v_waiting from lock_waiting(p_ids) r;
  perform remove_from_locations(v_waiting);
  if p_group_ids is not null then
    v_groups := admit_groups(array (
      select w.lane from ${unnestNumbered('a', { id: 'p_ids', group_id: 'p_group_ids' })} left join unnest(v_waiting) w on w.id = a.id order by n),
      p_group_ids);
  end if;
  with asked as (
    select * from ${unnestNumbered('input', {
      id: 'p_ids',
      ending: 'string_to_array(p_endings, null)',
      result: 'p_results',
      error_name: 'p_error_names',
      error: 'p_errors',
      group_id: 'v_groups',
      title: 'p_group_titles',
    })}
  ), ended as (
    update run r set state = a.ending::"char", ord = v_end, ended_at = v_now, is_dead = a.ending in ${DEAD}, result = a.result,
      error_name = coalesce(a.error_name, r.error_name), error_group = a.group_id, spent = case when a.ending in ${DEAD} then ${SPENT} end,
      record = ${RECORD}, holds_key = false
    from unnest(v_waiting) w join asked a on a.id = w.id where ${hasId('r', 'w.id')}
    returning r.id, r.is_dead, r.keep_ms, r.lane, r.error_group, a.title, r.spent, a.n, ${longBytes('r')} as long
  )
  select array_agg(id), array_agg(id order by n) filter (where not is_dead and keep_ms is null),
    array_agg(id) filter (where not is_dead and keep_ms is not null), coalesce(bool_or(keep_ms is not null), false),
    array_agg((lane, error_group, title, id, spent, v_now, v_end, n)::dead_letter) filter (where is_dead),
    sum(long) filter (where not is_dead and keep_ms is null)
  into v_ended, v_finished, v_awaited, v_results, v_dead, v_long from ended;
  if v_dead is not null then
    perform join_groups(v_dead);
  end if;
  v_locked := array (
    select r.row_at from unnest(p_ids) as asked (id), lateral (
      select ctid as row_at from run where ${hasId('run', 'asked.id')}
        and state in (${state('submitted')}, ${state('started')}) for update skip locked) r);
  with asked as (
    update run r set wants_cancel = true
    where ctid = any (v_locked) and (state = ${state('started')} or ${isClaimed('r')}) returning id
  )
  select array_agg(id) into v_requested from asked;
  if v_finished is not null then
    insert into finished (ord, count, ids) values (v_end, cardinality(v_finished), v_finished);${noteLong('v_end', 'v_long')}
  end if;
  if v_awaited is not null then
    perform keep_awaited(v_awaited);
  end if;
  v_unparked := unpark_runs(keys_of(v_waiting));
  if v_results or v_unparked is not null then
    perform notify_waiters(v_unparked, null, v_results);
  end if;
  return json_build_object('unparked', v_unparked, 'results', v_results, 'finished', coalesce(cardinality(v_finished), 0),
    'long', coalesce(v_long, 0), 'answers', (
    select string_agg(case when asked.id = any (v_ended) then ${answer('end', 'done')}
      when asked.id = any (v_requested) then ${answer('end', 'requested')}
      when r.id is null then ${answer('end', 'gone')}
      when r.state in ${ACTIVE} then '${LOCKED}' else ${answer('end', 'ended')} end, '' order by n)
    from ${unnestNumbered('asked', { id: 'p_ids' })} left join run r on ${hasId('r', 'asked.id')}))::text;
end
$$;
`;
