import { isTrimmed } from '../exchange/long-texts.ts';
import { hasId, unnestNumbered } from '../fragments.ts';
import { keepKeys } from '../keeping-functions.ts';
import { answer, REDRIVABLE, state } from '../letters.ts';
import { head, passOn } from '../signatures.ts';
import { CREATED_AT, LOCATION } from './locations.ts';

/** A row of the table alias, as the type `location`. */
const locationOf = (alias: string): string =>
  `(${LOCATION.map((name) => `${alias}.${name}`).join(', ')})::location`;

/**
 * Leaves out of the locked runs in `runs` those that ended at `p_ended_before` or later. It reads the rows in a statement of its own,
 * which sees what they were when they were locked.
 */
const leaveOutChanged = (runs: string): string => `
  if p_ended_before is not null then
    select array_agg(${locationOf('l')} order by l.n) into ${runs}
    from unnest(${runs}) with ordinality as l (${LOCATION.join(', ')}, n) join run r on ${hasId('r', 'l.id')}
    where r.ended_at < p_ended_before;
  end if;`;

/** Counts a step of an operation, where the call is one. @param runs - the runs that it has moved */
const endStep = (runs: string): string => `
  if p_operation is not null then
    perform ${passOn('end_step', {
      done: `coalesce(cardinality(${runs}), 0)`,
      skipped: `p_skipped + cardinality(p_ids) - coalesce(cardinality(${runs}), 0)`,
    })};
  end if;`;

/**
 * Sends dead letters to the back of their lanes, in the order asked, or onto the schedule where \`p_run_ats\` has a later instant. Ids
 * must not repeat.
 */
export const REDRIVE: string = `
create function ${head('redrive_runs')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_dead location[];
  v_ready text[];
  v_later text[];
begin
  if not begin_step(p_operation, p_epoch) then
    return json_build_object('answers', repeat(${answer('redrive', 'fenced')}, cardinality(p_ids)))::text;
  end if;
  select array_agg(r order by array_position(p_ids, r.id)) into v_dead
  from lock_locations(p_ids, true) r where r.state in ${REDRIVABLE}
    and not exists (select from run where ${hasId('run', 'r.id')} and ${isTrimmed('run')});${leaveOutChanged('v_dead')}
  perform leave_groups(array (select id from unnest(v_dead)));
  perform remove_from_locations(v_dead);
  with known as (
    select r.id, r.epoch, r.ended_at, d.n, greatest(v_now, p_run_ats[array_position(p_ids, r.id)]) as due,
      read_record(coalesce(r.record, '{}')) as record
    from unnest(v_dead) with ordinality as d (${LOCATION.join(', ')}, n)
      join run r on ${hasId('r', 'd.id')}
  ), again as (
    select id, epoch, due, due > v_now as is_later, nextval('back_order') as ord, record
      || jsonb_build_object('redrives', read_count(record, 'redrives') + 1, 'runAt', due, 'endedAt', ended_at)
      || case when due > v_now then '{}' else jsonb_build_object('submittedAt', v_now) end as record
    from (select * from known order by n) known
  ), back as (
    update run r set state = case when again.is_later then ${state('scheduled')} else ${state('submitted')} end::"char",
      ord = again.ord, is_dead = false, created_at = ${CREATED_AT},
      submitted_at = case when again.is_later then r.submitted_at end, run_at = case when again.is_later then again.due end,
      claimed_at = null, heartbeat_at = null, ended_at = null, error_name = null, error_group = null,
      spent = null, result = null, record = (case when p_keep_attempts then again.record else
        again.record - '{errors,previousDelayMs,failures,stalls,releases,rateLimits}'::text[]
          || jsonb_build_object('resetEpoch', again.epoch, 'resetAt', v_now) end)::text
    from again where ${hasId('r', 'again.id')}
    returning r.state, r.lane, r.run_at, r.ord, r.id, r.key, r.ctid as row_at
  ), now_ready as (
    insert into ready (lane, ord, id, key, row_at) select lane, ord, id, key, row_at from back where state = ${state('submitted')}
  ), for_later as (
    insert into scheduled (lane, run_at, ord, id, row_at) select lane, run_at, ord, id, row_at from back where state = ${state('scheduled')}
  )
  select array_agg(distinct lane) filter (where state = ${state('submitted')}),
    array_agg(distinct lane) filter (where state = ${state('scheduled')})
  into v_ready, v_later from back;
  if v_dead is not null then
    perform notify_waiters(v_ready, v_later, false);
  end if;${endStep('v_dead')}
  return json_build_object('ready', v_ready, 'later', v_later, 'answers', (
    select coalesce(string_agg(case when id = any (select d.id from unnest(v_dead) d) then ${answer('redrive', 'redriven')}
      when exists (select from run where ${hasId('run', 'asked.id')}) then ${answer('redrive', 'refused')}
      else ${answer('redrive', 'gone')} end, '' order by n), '')
    from ${unnestNumbered('asked', { id: 'p_ids' })}))::text;
end
$$;
`;

/** Forgets ended runs for good, but keeps their keys for a time. Ids must not repeat. */
export const DISCARD: string = `
create function ${head('discard_runs')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_ended location[];
begin
  if not begin_step(p_operation, p_epoch) then
    return repeat(${answer('discard', 'fenced')}, cardinality(p_ids));
  end if;
  select array_agg(r) into v_ended from lock_locations(p_ids, true) r;${leaveOutChanged('v_ended')}
  perform leave_groups(array (select id from unnest(v_ended)));
  perform remove_from_locations(v_ended);
  with forgotten as (
    delete from run r using unnest(v_ended) o where ${hasId('r', 'o.id')} returning r.id, r.is_keyed, r.ended_at
  ), keys as (${keepKeys('forgotten', 'v_now')}  )
  insert into tally (submitted, forgotten) select 0, count(*) from forgotten having count(*) > 0;${endStep('v_ended')}
  return (
    select coalesce(string_agg(case when id = any (select o.id from unnest(v_ended) o) then ${answer('discard', 'discarded')}
      when exists (select from run where ${hasId('run', 'asked.id')}) then ${answer('discard', 'refused')}
      else ${answer('discard', 'gone')} end, '' order by n), '')
    from ${unnestNumbered('asked', { id: 'p_ids' })});
end
$$;
`;
