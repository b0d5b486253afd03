import { MAX_BATCH_BYTES } from '@retry/core/broker';
import { hasId } from './find-by-id.ts';
import { isClaimed, isStartedBy } from './started.ts';

/**
 * What people call the letters of states, and runs as a client reads them, in the order asked: null for an unknown one.
 * As many as travel in one reply: the first, and those that fit beside it. `stable`: they are read as the statement that
 * asks for them sees the tables. Records are given as text, whatever they say: the client reads each by itself.
 */
export const SHOW: string = `
create function state_name(p_state "char") returns text language sql immutable as $$
  select case p_state when 'w' then 'submitted' when 's' then 'scheduled' when 'r' then 'started' when 'C' then 'completed'
    when 'X' then 'cancelled' when 'D' then 'dropped' when 'f' then 'failed' when 'F' then 'failed'
    when 't' then 'stalled' when 'T' then 'stalled' else 'rateLimited' end
$$;

create function show_runs(p_ids text[], p_payloads boolean)
returns table (n bigint, id text, has_ended boolean, shown json)
language sql stable set enable_hashjoin = on as $$
  with asked as materialized (
    select r.*, a.n from unnest(p_ids) with ordinality as a (id, n)
      left join lateral (select * from run where ${hasId('run', 'a.id')} offset 0) r on true
  ), sized as (
    select *, sum(256 + coalesce(octet_length(record), 0) + case when p_payloads
      then coalesce(octet_length(payload), 0) + coalesce(octet_length(result), 0) else 0 end) over (order by n) as bytes
    from asked
  ), since as materialized (
    select * from held() where exists (select from asked where ${isClaimed('asked')})
  )
  select r.n, r.id, r.ended_at is not null, case when r.id is not null then json_build_array(
    r.id, r.lane, case when p_payloads then r.payload else '' end,
    state_name(case when h.id is null then r.state else 'r' end), r.epoch + case when h.id is null then 0 else 1 end,
    r.submitted_at, r.run_at, coalesce(r.claimed_at, h.at), coalesce(r.heartbeat_at, h.at), r.ended_at, r.wants_cancel,
    case when p_payloads then r.result end, r.record, r.key, r.key_limit, r.key_waits) end
  from sized r left join since h on r.state = 'w' and ${isStartedBy('r', 'h')}
  where r.n = 1 or r.bytes <= ${MAX_BATCH_BYTES}
$$;
`;

/**
 * Reads the first of the runs in the order asked, as many as travel in one reply. Those of them that have ended, and
 * were kept for callers that wait for their results, are kept like any other from now on.
 */
export const GET: string = `
create function get_runs(p_ids text[], p_collect boolean) returns text language plpgsql {settings} as $$
declare
  v_shown text;
  v_ended text[];
begin
  select coalesce(json_agg(shown order by n)::text, '[]'), array_agg(id) filter (where has_ended) into v_shown, v_ended
  from show_runs(p_ids, true);
  if p_collect and v_ended is not null then
    perform finish_awaited(array (
      select a.ctid from unnest(v_ended) as ended (id) join awaited a on ${hasId('a', 'ended.id')}
      for update of a skip locked));
  end if;
  return v_shown;
end
$$;
`;

/**
 * Runs of one state by ascending id: dead letters by their index, the others from the rows that say what is next, so
 * that a page takes as long as there are runs of its state, whatever else there is.
 */
export const LIST: string = `
create function list_runs(
  p_state text, p_lane text, p_before bigint, p_error text, p_limit bigint, p_after text, p_payloads boolean
) returns text language plpgsql {settings} as $$
declare
  v_ids text[];
begin
  v_ids := array (
    select id from ready where p_state = 'submitted'
    union all select id from parked where p_state = 'submitted'
    union all select id from scheduled where p_state = 'scheduled'
    union all (select distinct id from held() where p_state = 'started')
    union all select unnest(ids) from finished where p_state not in ('submitted', 'scheduled', 'started')
    union all select id from awaited where p_state not in ('submitted', 'scheduled', 'started')
    union all (
      select r.id from run r
      where is_dead and p_state not in ('submitted', 'scheduled', 'started') and r.id > p_after
        and state_name(r.state) = p_state and (p_lane is null or r.lane = p_lane)
        and (p_before is null or r.ended_at < p_before) and (p_error is null or r.error_name = p_error)
      order by r.id limit p_limit));
  return (
    select coalesce(json_agg(shown order by n)::text, '[]')
    from show_runs(array (
      select r.id from unnest(v_ids) as found (id),
        lateral (select * from run where ${hasId('run', 'found.id')} offset 0) r
      where r.id > p_after and state_name(case when ${isClaimed('r')} then 'r' else r.state end) = p_state
        and (p_lane is null or r.lane = p_lane)
        and (p_before is null or r.ended_at < p_before) and (p_error is null or r.error_name = p_error)
      order by r.id limit p_limit), p_payloads));
end
$$;
`;

/** Extends leases; and says which of these leases have a cancel request. */
export const HEARTBEAT: string = `
create function beat(p_ids text[], p_epochs bigint[], p_lease bigint) returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
begin
  -- One that is being settled in a transaction of its handler's is locked: nobody waits for that.
  perform note_starts(p_ids);
  update run set lease_until = greatest(lease_until, v_now + p_lease), heartbeat_at = greatest(heartbeat_at, v_now)
  where ctid = any (array (
    select r.place from unnest(p_ids, p_epochs) as b (id, epoch), lateral (
      select ctid as place from run where ${hasId('run', 'b.id')} and run.epoch = b.epoch and state = 'r'
      for update skip locked) r));
  return (
    select string_agg(
      case when r.id is null then 'g'
        when not case r.state when 'r' then r.epoch = b.epoch when 'w' then r.epoch = b.epoch - 1 and ${isClaimed('r')}
          else false end then 'f'
        when r.wants_cancel then 'c' else 'o' end,
      '' order by b.n)
    from unnest(p_ids, p_epochs) with ordinality as b (id, epoch, n)
      left join lateral (select * from run where ${hasId('run', 'b.id')} offset 0) r on true);
end
$$;

create function cancel_requests(p_ids text[], p_epochs bigint[]) returns text language plpgsql stable {settings} as $$
begin
  return (
    select string_agg(case when r.wants_cancel then 'c' else 'o' end, '' order by b.n)
    from unnest(p_ids, p_epochs) with ordinality as b (id, epoch, n)
      left join lateral (select * from run where ${hasId('run', 'b.id')} offset 0) r
        on case r.state when 'r' then r.epoch = b.epoch when 'w' then r.epoch = b.epoch - 1 else false end);
end
$$;
`;

/** What a record says, as far as it can be read: it may be anything that was written there. */
export const RECORDS: string = `
create function read_record(p_record text) returns jsonb language plpgsql immutable as $$
begin
  return case when jsonb_typeof(p_record::jsonb) = 'object' then p_record::jsonb else '{}' end;
exception when others then
  return '{}';
end
$$;

create function read_count(p_record jsonb, p_name text) returns bigint language sql immutable as $$
  select case when jsonb_typeof(p_record -> p_name) = 'number'
    then greatest(0, least((p_record ->> p_name)::numeric, ${Number.MAX_SAFE_INTEGER}))::bigint else 0 end
$$;
`;

/**
 * For people who look at the tables: what waits for another attempt, and when that is due. How many attempts a task
 * allows stands in its policy, not here: \`is_eligible\` takes it.
 */
export const VIEWS: string = `
create function is_eligible(p_attempts integer, p_max_attempts double precision default 3, p_retryable boolean default true)
returns boolean language sql immutable as $$
  select coalesce(p_attempts, 0) = 0 or (coalesce(p_retryable, true) and p_attempts < coalesce(p_max_attempts, 3))
$$;

create view retry_eligible as
  select id, lane, {schema}.state_name(state) as state, failures, stalls, least(failures::bigint + stalls, 2147483647)::integer as attempts,
    to_timestamp(run_at / 1000.0) as next_run_at, state = 'w' or run_at <= {schema}.now_ms() as is_due
  from (
    select id, lane, state, least({schema}.read_count(record, 'failures'), 2147483647)::integer as failures,
      least({schema}.read_count(record, 'stalls'), 2147483647)::integer as stalls,
      coalesce(run_at, nullif({schema}.read_count(record, 'runAt'), 0)) as run_at
    from (
      select id, lane, state, run_at, case when record is null then '{}' else {schema}.read_record(record) end as record
      from run r where r.state in ('w', 's') and not ${isClaimed('r')} offset 0) read) waiting;
`;
