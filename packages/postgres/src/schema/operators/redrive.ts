import { hasId, unnestNumbered } from '../fragments.ts';
import { keepKeys } from '../keeping-functions.ts';
import { answer, REDRIVABLE, state } from '../letters.ts';
import { head } from '../signatures.ts';
import { CREATED_AT, LOCATION } from './locations.ts';

/** Sends dead letters to the back of their lanes, in the order asked. Ids must not repeat. */
export const REDRIVE: string = `
create function ${head('redrive_runs')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_dead location[];
begin
  select array_agg(r order by array_position(p_ids, r.id)) into v_dead
  from lock_locations(p_ids, true) r where r.state in ${REDRIVABLE};
  perform remove_from_locations(v_dead);
  with known as (
    select r.id, r.epoch, r.ended_at, d.n, read_record(coalesce(r.record, '{}')) as record
    from unnest(v_dead) with ordinality as d (${LOCATION.join(', ')}, n)
      join run r on ${hasId('r', 'd.id')}
  ), again as (
    select id, epoch, nextval('back_order') as ord, record
      || jsonb_build_object('redrives', read_count(record, 'redrives') + 1,
        'runAt', v_now, 'submittedAt', v_now, 'endedAt', ended_at) as record
    from (select * from known order by n) known
  ), back as (
    update run r set state = ${state('submitted')}, ord = again.ord, is_dead = false,
      created_at = ${CREATED_AT},
      submitted_at = null, run_at = null, claimed_at = null, heartbeat_at = null, ended_at = null, error_name = null,
      result = null, record = (case when p_keep_attempts then again.record else
        again.record - '{errors,previousDelayMs,failures,stalls,releases,rateLimits}'::text[]
          || jsonb_build_object('resetEpoch', again.epoch, 'resetAt', v_now) end)::text
    from again where ${hasId('r', 'again.id')}
    returning r.lane, r.ord, r.id, r.key, r.ctid as row_at
  )
  insert into ready (lane, ord, id, key, row_at) select lane, ord, id, key, row_at from back;
  if v_dead is not null then
    perform notify_waiters(array (select distinct lane from unnest(v_dead)), null, false);
  end if;
  return json_build_object('lanes', (select array_agg(distinct lane) from unnest(v_dead)), 'answers', (
    select string_agg(case when id = any (select d.id from unnest(v_dead) d) then ${answer('redrive', 'redriven')}
      when exists (select from run where ${hasId('run', 'asked.id')}) then ${answer('redrive', 'refused')}
      else ${answer('redrive', 'gone')} end, '' order by n)
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
  select array_agg(r) into v_ended from lock_locations(p_ids, true) r;
  perform remove_from_locations(v_ended);
  with forgotten as (
    delete from run r using unnest(v_ended) o where ${hasId('r', 'o.id')} returning r.id, r.is_keyed, r.ended_at
  ), keys as (${keepKeys('forgotten', 'v_now')}  )
  insert into tally (submitted, forgotten) select 0, count(*) from forgotten having count(*) > 0;
  return (
    select string_agg(case when id = any (select o.id from unnest(v_ended) o) then ${answer('discard', 'discarded')}
      when exists (select from run where ${hasId('run', 'asked.id')}) then ${answer('discard', 'refused')}
      else ${answer('discard', 'gone')} end, '' order by n)
    from ${unnestNumbered('asked', { id: 'p_ids' })});
end
$$;
`;
