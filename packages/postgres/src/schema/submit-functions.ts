import { MAX_INSTANT_AT } from '@retry/core';
import { hasId } from './find-by-id.ts';

/** The clock of record: whole epoch milliseconds, rounded down so that nothing is early. */
export const CLOCK = `
create function now_ms() returns bigint language sql volatile as $$
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint
$$;
`;

/** How often a submission is tried that meets ids which others submit or forget at the same time. */
const MAX_TRIES = 10;

/** Keeps runs and puts them in line; a known id fails all of them, or is left out. */
const keepRuns = (onConflict: 'on conflict do nothing' | ''): string => `
  with fresh as (
    insert into run (id, state, epoch, ord, lane, payload, submitted_at, run_at, key, key_limit, key_waits, is_keyed, keep_ms)
    select id, case when due > v_now then 's' else 'w' end::"char", 0, nextval('back_order'), lane, payload, v_now, due,
      key, key_limit, key_waits, coalesce(is_keyed, false), keep_ms
    from (
      select *, least(greatest(v_now, run_at, v_now + delay), ${MAX_INSTANT_AT}) as due
      from unnest(p_ids, p_lanes, p_payloads, p_run_ats, p_delays, p_keys, p_limits, p_waits, p_keyed, p_keeps)
        as input (id, lane, payload, run_at, delay, key, key_limit, key_waits, is_keyed, keep_ms)) input
    where not v_has_keys or not exists (select from kept_key k where ${hasId('k', 'input.id')} and k.until > v_now)
    ${onConflict}
    returning id, state, ord, lane, run_at, key
  ), now_ready as (
    insert into ready (lane, ord, id, key) select lane, ord, id, key from fresh where state = 'w'
  ), for_later as (
    insert into scheduled (lane, run_at, ord, id) select lane, run_at, ord, id from fresh where state = 's'
  ), counted as (
    insert into tally (submitted, forgotten) select count(*), 0 from fresh having count(*) > 0
  )
  select array_agg(id) into v_created from fresh;
`;

/**
 * Keeps new runs; gives the ids that were new, in order, or null when all of them were. An id meets the primary key
 * of \`run\`, where every run stands until it is forgotten, and what is kept of forgotten ones. As a rule all are new, and
 * an insert that need not look out for conflicts takes a quarter less. A run that is being forgotten stands in one of the
 * two, but a statement may see neither: what it kept is looked up once more.
 */
export const SUBMIT: string = `
create function submit_runs(
  p_ids text[], p_lanes text[], p_payloads text[], p_run_ats bigint[], p_delays bigint[],
  p_keys text[], p_limits bigint[], p_waits boolean[], p_keyed boolean[], p_keeps bigint[], p_notify boolean
) returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_try integer := 1;
  v_has_keys boolean;
  v_created text[];
  v_ready text[];
  v_later text[];
begin
  loop
    v_has_keys := exists (select from kept_key);
    begin
      if v_try = 1 then${keepRuns('')}      else${keepRuns('on conflict do nothing')}      end if;
      if p_keyed is not null and exists (
        select from unnest(v_created) as created (id)
        join kept_key k on ${hasId('k', 'created.id')} where k.until > v_now)
      then
        raise unique_violation;
      end if;
      exit;
    exception when unique_violation then
      -- Two tries find whatever of ours is in the way; more than a few are in vain: a rule of somebody else's says no.
      if v_try = ${MAX_TRIES} then
        raise;
      end if;
      v_try := v_try + 1;
    end;
  end loop;
  if p_notify and v_created is not null and exists (select from waiter where until > v_now and not for_results) then
    select array_agg(distinct lane) filter (where due <= v_now), array_agg(distinct lane) filter (where due > v_now)
    into v_ready, v_later
    from (select lane, greatest(v_now, run_at, v_now + delay) as due
      from unnest(p_lanes, p_run_ats, p_delays) as input (lane, run_at, delay)) asked;
    perform tell(v_ready, v_later, false);
  end if;
  if cardinality(v_created) = cardinality(p_ids) then
    return null;
  end if;
  return coalesce(to_json(v_created)::text, '[]');
end
$$;
`;

/** Notifies other processes, if any of them waits for it, that these lanes may have work, or that awaited runs have ended. */
export const TELL = `
create function tell(p_ready text[], p_later text[], p_results boolean) returns void language plpgsql as $$
declare
  v_work boolean := (p_ready is not null or p_later is not null)
    and exists (select from waiter where until > now_ms() and not for_results);
  v_results boolean := p_results and exists (select from waiter where until > now_ms() and for_results);
  v_news text;
begin
  if v_work or v_results then
    v_news := json_build_object('ready', case when v_work then p_ready end, 'later', case when v_work then p_later end,
      'results', v_results)::text;
    perform pg_notify({channel}, case when octet_length(v_news) < 7000 then v_news else '' end);
  end if;
end
$$;

create function await_news(p_id text, p_for bigint, p_results boolean) returns void language sql {settings} as $$
  insert into waiter values (p_id, now_ms() + p_for, p_results) on conflict (id) do update set until = excluded.until
$$;

create function stop_waiting(p_id text) returns void language sql {settings} as $$
  delete from waiter where id = p_id
$$;

create function look_for_work(p_lanes text[], p_lows bigint[]) returns text language plpgsql {settings} as $$
begin
  return (select json_build_object(
    'now', now_ms(),
    'ready', bool_or(exists (select from ready r where r.lane = asked.lane and (r.ord > asked.low or r.ord < 0))),
    'due', min((select s.run_at from scheduled s where s.lane = asked.lane order by s.run_at limit 1))
  )::text
  from unnest(p_lanes, p_lows) as asked (lane, low));
end
$$;
`;

/** Steps from lane to lane by the index of a table, however many rows each of them has. */
const nextLane = (table: string, before: string): string => `
      (select lane from ${table} order by lane limit 1)
      union all select (select t.lane from ${table} t where t.lane > ${before}.lane order by t.lane limit 1)
      from ${before} where ${before}.lane is not null`;

/** Notes which workers are alive, and gives the lanes where runs wait that none of them works on. */
export const ATTEND: string = `
create function attend(p_worker text, p_lanes text[], p_for bigint) returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_attended text[];
begin
  if p_for > 0 then
    insert into attendance values (p_worker, v_now + p_for, p_lanes)
    on conflict (worker) do update set until = excluded.until, lanes = excluded.lanes;
  else
    delete from attendance where worker = p_worker;
  end if;
  delete from attendance where ctid = any (array (
    select ctid from attendance where until <= v_now for update skip locked));
  v_attended := array (select unnest(lanes) from attendance where until > v_now);
  -- Runs that are due wait as well: only a claim of their lane, which nobody makes, would promote them.
  return (
    with recursive in_ready (lane) as (${nextLane('ready', 'in_ready')}
    ), in_schedule (lane) as (${nextLane('scheduled', 'in_schedule')}
    ), waiting as (
      select lane, (select count(*) from (
        select from ready r where r.lane = known.lane
        union all (select from scheduled s where s.lane = known.lane and s.run_at <= v_now order by s.run_at limit 10000)
        limit 10000) counted) as count
      from (select lane from in_ready union select lane from in_schedule) known
      where lane is not null and lane <> all (v_attended)
    )
    select coalesce(json_agg(json_build_object('lane', lane, 'waiting', count) order by lane)::text, '[]')
    from waiting where count > 0);
end
$$;
`;
