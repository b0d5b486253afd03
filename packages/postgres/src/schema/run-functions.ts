/** Where every run stands, whatever its table. */
export const PLACES = `
create view place as
  select id, lane, 'submitted' as state, epoch, submitted_at, run_at, null::bigint as claimed_at,
    null::bigint as heartbeat_at, null::bigint as ended_at, false as wants_cancel, null::text as error_name,
    null::text as result, record::json from ready
  union all
  select id, lane, 'submitted', epoch, submitted_at, run_at, null, null, null, false, null, null, record::json from parked
  union all
  select id, lane, 'scheduled', epoch, submitted_at, run_at, null, null, null, false, null, null, record::json from scheduled
  union all
  select id, lane, 'started', epoch, submitted_at, run_at, claimed_at, heartbeat_at, null, wants_cancel, null, null,
    record::json from inflight
  union all
  select id, lane, state, epoch, submitted_at, run_at, claimed_at, claimed_at, ended_at, false, error_name, result,
    record::json from ended;

create function show_run(p_run run, p_place place) returns json language sql immutable as $$
  select json_build_array(p_run.id, p_run.lane, p_run.payload, p_place.state, p_place.epoch,
    coalesce(p_place.submitted_at, case when p_place.record is null then p_run.submitted_at end),
    coalesce(p_place.run_at, case when p_place.record is null then p_run.run_at end),
    p_place.claimed_at, p_place.heartbeat_at, p_place.ended_at, p_place.wants_cancel, p_place.result, p_place.record,
    p_run.key, p_run.key_limit, p_run.key_waits)
$$;
`;

/** Reads runs in the order asked. */
export const GET = `
create function get_runs(p_ids text[]) returns text language plpgsql {settings} as $$
begin
  return (select coalesce(json_agg(
    (select show_run(r, p) from run r join place p on p.id = r.id where r.id = asked.id) order by n)::text, '[]')
  from unnest(p_ids) with ordinality as asked (id, n));
end
$$;
`;

/** Runs of one state by ascending id. Each state has a table of its own, read by its index on the id. */
export const LIST = `
create function list_runs(
  p_state text, p_lane text, p_before bigint, p_error text, p_limit bigint, p_after text
) returns text language sql {settings} as $$
  select coalesce(json_agg(found.run order by found.id)::text, '[]') from (
    select r.id, show_run(r, p) as run
    from place p join run r on r.id = p.id
    where p.state = p_state and p.id > p_after and (p_lane is null or p.lane = p_lane)
      and (p_before is null or p.ended_at < p_before) and (p_error is null or p.error_name = p_error)
    order by p.id limit p_limit
  ) found
$$;
`;

/** Extends leases. */
export const HEARTBEAT = `
create function beat(p_ids text[], p_epochs integer[], p_lease bigint) returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
begin
  -- One that is being settled in a transaction of its handler's is locked: nobody waits for that.
  update inflight set lease_until = greatest(lease_until, v_now + p_lease), heartbeat_at = greatest(heartbeat_at, v_now)
  where ctid = any (array (
    select i.ctid from unnest(p_ids, p_epochs) as b (id, epoch) join inflight i on i.id = b.id and i.epoch = b.epoch
    for update of i skip locked));
  return (
    select string_agg(coalesce(
      (select case when i.wants_cancel then 'c' else 'o' end from inflight i where i.id = b.id and i.epoch = b.epoch),
      (select 'f' from run where run.id = b.id), 'g'), '' order by b.n)
    from unnest(p_ids, p_epochs) with ordinality as b (id, epoch, n));
end
$$;

create function expired_runs(p_limit bigint) returns text language sql {settings} as $$
  select coalesce(json_agg(show_run(r, p) order by late.lease_until, late.id)::text, '[]')
  from (
    select id, lease_until from inflight where lease_until <= now_ms() order by lease_until, id limit p_limit
    for update skip locked) late
  join run r on r.id = late.id join place p on p.id = late.id
$$;
`;

/**
 * For people who look at the tables: what waits for another attempt, and when that is due. How many attempts a task
 * allows stands in its policy, not here: \`is_eligible\` takes it.
 */
export const VIEWS = `
create function is_eligible(p_attempts integer, p_max_attempts double precision default 3, p_retryable boolean default true)
returns boolean language sql immutable as $$
  select coalesce(p_attempts, 0) = 0 or (coalesce(p_retryable, true) and p_attempts < coalesce(p_max_attempts, 3))
$$;

create view retry_eligible as
  select id, lane, state, failures, stalls, failures + stalls as attempts, to_timestamp(run_at / 1000.0) as next_run_at,
    state = 'submitted' or run_at <= {schema}.now_ms() as is_due
  from (
    select id, lane, state, coalesce((record ->> 'failures')::integer, 0) as failures,
      coalesce((record ->> 'stalls')::integer, 0) as stalls,
      coalesce(run_at, (record ->> 'runAt')::numeric::bigint) as run_at
    from place where state in ('submitted', 'scheduled')) waiting;
`;
