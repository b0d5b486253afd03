/** The clock of record: whole epoch milliseconds, rounded down so that nothing is early. */
export const CLOCK = `
create function now_ms() returns bigint language sql volatile as $$
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint
$$;
`;

/** Keeps runs and puts them in line; a known id fails all of them, or is left out. */
const keepRuns = (onConflict: 'on conflict do nothing' | ''): string => `
  with fresh as (
    insert into run (id, state, epoch, ord, lane, payload, submitted_at, run_at, key, key_limit, key_waits)
    select id, case when due > v_now then 's' else 'w' end::"char", 0, nextval('back_order'), lane, payload, v_now, due,
      key, key_limit, key_waits
    from (
      select *, greatest(v_now, run_at, v_now + delay) as due
      from unnest(p_ids, p_lanes, p_payloads, p_run_ats, p_delays, p_keys, p_limits, p_waits)
        as input (id, lane, payload, run_at, delay, key, key_limit, key_waits)) input
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
 * of \`run\`, where every run stands until it is forgotten. As a rule all are new, and an insert that need not look out
 * for conflicts takes a quarter less.
 */
export const SUBMIT: string = `
create function submit_runs(
  p_ids text[], p_lanes text[], p_payloads text[], p_run_ats bigint[], p_delays bigint[],
  p_keys text[], p_limits bigint[], p_waits boolean[], p_notify boolean
) returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_created text[];
  v_ready text[];
  v_later text[];
begin
  begin${keepRuns('')}  exception when unique_violation then${keepRuns('on conflict do nothing')}  end;
  if p_notify and v_created is not null and exists (select from waiter where until > v_now) then
    select array_agg(distinct lane) filter (where due <= v_now), array_agg(distinct lane) filter (where due > v_now)
    into v_ready, v_later
    from (select lane, greatest(v_now, run_at, v_now + delay) as due
      from unnest(p_lanes, p_run_ats, p_delays) as input (lane, run_at, delay)) asked;
    perform tell(v_ready, v_later);
  end if;
  if cardinality(v_created) = cardinality(p_ids) then
    return null;
  end if;
  return coalesce(to_json(v_created)::text, '[]');
end
$$;
`;

/** Tells idle workers of other processes, if there are any, that these lanes may have work. */
export const TELL = `
create function tell(p_ready text[], p_later text[]) returns void language plpgsql as $$
declare
  v_lanes text;
begin
  if exists (select from waiter where until > now_ms()) then
    select json_build_object('ready', p_ready, 'later', p_later)::text into v_lanes;
    perform pg_notify({channel}, case when octet_length(v_lanes) < 7000 then v_lanes else '' end);
  end if;
end
$$;

create function await_work(p_id text, p_for bigint) returns void language sql {settings} as $$
  insert into waiter values (p_id, now_ms() + p_for) on conflict (id) do update set until = excluded.until
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
