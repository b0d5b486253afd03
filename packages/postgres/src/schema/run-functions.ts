import { MAX_BATCH_BYTES } from '@retry/core/broker/kit';
import { hasId, unnestAs, unnestNumbered } from './fragments.ts';
import { isClaimed, isStartedBy } from './leases.ts';
import { answer, state, stateNameOf, WAITING } from './letters.ts';
import { SHOWN_RUN } from './rows.ts';
import { head } from './signatures.ts';

/**
 * \`state_name\` names the state of a letter. \`show_runs\` reads runs in the order asked, null for an unknown one, as many as
 * fit into one reply: the first, and those that fit beside it. It is \`stable\`, so it sees the tables as the calling
 * statement does. A record is passed as text, even an unreadable one: the client parses each by itself. \`show_listed\` is the
 * same for a list, which knows the claims that started its runs: reading those of all runs takes time by their number.
 */
const showing = (header: string, leases: string): string => `
create function ${header}
returns table (n bigint, id text, has_ended boolean, shown json)
language sql stable set enable_hashjoin = on as $$
  with asked as materialized (
    select r.*, a.n from unnest(p_ids) with ordinality as a (id, n)
      left join lateral (select * from run where ${hasId('run', 'a.id')} offset 0) r on true
  ), sized as (
    select *, sum(256 + coalesce(octet_length(record), 0) + coalesce(octet_length(extras), 0) + case when p_payloads
      then coalesce(octet_length(payload), 0) + coalesce(octet_length(result), 0) else 0 end) over (order by n) as bytes
    from asked
  ), since as materialized (
    ${leases}
  )
  select r.n, r.id, r.ended_at is not null, case when r.id is not null then ${SHOWN_RUN} end
  from sized r left join since l on r.state = ${state('submitted')} and ${isStartedBy('r', 'l')}
  where r.n = 1 or r.bytes <= ${MAX_BATCH_BYTES}
$$;
`;

/** The functions above. */
export const SHOW: string = `
create function state_name(p_state "char") returns text language sql immutable as $$
  select ${stateNameOf('p_state')}
$$;

${showing('show_runs(p_ids text[], p_payloads boolean)', `select * from leased() where exists (select from asked where ${isClaimed('asked')})`)}
${showing(
  'show_listed(p_ids text[], p_ats bigint[], p_ords bigint[], p_payloads boolean)',
  'select * from unnest(p_ids, p_ats, p_ords) as l (id, at, ord) where l.at is not null',
)}`;

/**
 * Reads the first of the runs, in the order asked, as many as fit into one reply. With \`collect\`, ended runs among them
 * that were kept for waiting callers are kept like any other from now on.
 */
export const GET: string = `
create function ${head('get_runs')} returns text language plpgsql {settings} as $$
declare
  v_shown text;
  v_ended text[];
begin
  select coalesce(json_agg(shown order by n)::text, '[]'), array_agg(id) filter (where has_ended) into v_shown, v_ended
  from show_runs(p_ids, true);
  if p_collect and v_ended is not null then
    perform release_awaited(array (
      select a.ctid from unnest(v_ended) as ended (id) join awaited a on ${hasId('a', 'ended.id')}
      for update of a skip locked));
  end if;
  return v_shown;
end
$$;
`;

/** Reads the first of the runs, without payloads, as many as fit into one reply, and the clock. */
export const READ: string = `
create function ${head('read_runs')} returns text language plpgsql stable {settings} as $$
begin
  return (
    select json_build_object('now', now_ms(), 'runs', coalesce(json_agg(shown order by n), '[]'))::text
    from show_runs(p_ids, false));
end
$$;
`;

/** Extends leases. Replies which of them are still valid, and which have a cancel request. */
export const HEARTBEAT: string = `
create function ${head('heartbeat')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
begin
  -- A run that is being settled in its handler's transaction is locked: it is skipped.
  perform write_starts(p_ids);
  update run set lease_until = greatest(lease_until, v_now + p_lease_ms), heartbeat_at = greatest(heartbeat_at, v_now)
  where ctid = any (array (
    select r.row_at from ${unnestAs('b', { id: 'p_ids', epoch: 'p_epochs' })}, lateral (
      select ctid as row_at from run where ${hasId('run', 'b.id')} and run.epoch = b.epoch and state = ${state('started')}
      for update skip locked) r));
  return (
    select string_agg(
      case when r.id is null then ${answer('heartbeat', 'gone')}
        when not case r.state when ${state('started')} then r.epoch = b.epoch
          when ${state('submitted')} then r.epoch = b.epoch - 1 and ${isClaimed('r')}
          else false end then ${answer('heartbeat', 'fenced')}
        when r.wants_cancel then ${answer('heartbeat', 'cancel')} else ${answer('heartbeat', 'ok')} end,
      '' order by b.n)
    from ${unnestNumbered('b', { id: 'p_ids', epoch: 'p_epochs' })}
      left join lateral (select * from run where ${hasId('run', 'b.id')} offset 0) r on true);
end
$$;

create function ${head('find_cancel_requests')} returns text language plpgsql stable {settings} as $$
begin
  return (
    select string_agg(case when r.wants_cancel then ${answer('heartbeat', 'cancel')} else ${answer('heartbeat', 'ok')} end, '' order by b.n)
    from ${unnestNumbered('b', { id: 'p_ids', epoch: 'p_epochs' })}
      left join lateral (select * from run where ${hasId('run', 'b.id')} offset 0) r
        on case r.state when ${state('started')} then r.epoch = b.epoch
          when ${state('submitted')} then r.epoch = b.epoch - 1 else false end);
end
$$;
`;

/** Read a record as far as possible: the column may contain anything that a user wrote there. */
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
 * For queries by users: which runs wait for another attempt, and when it is due. The number of attempts that a
 * task allows is in its policy, so \`is_eligible\` takes it as an argument.
 */
export const VIEWS: string = `
create function is_eligible(p_attempts integer, p_max_attempts double precision default 3, p_retryable boolean default true)
returns boolean language sql immutable as $$
  select coalesce(p_attempts, 0) = 0 or (coalesce(p_retryable, true) and p_attempts < coalesce(p_max_attempts, 3))
$$;

create view retry_eligible as
  select id, lane, {schema}.state_name(state) as state, failures, stalls, least(carried + failures + stalls, 2147483647)::integer as attempts,
    to_timestamp(run_at / 1000.0) as next_run_at, state = ${state('submitted')} or run_at <= {schema}.now_ms() as is_due
  from (
    select id, lane, state, least({schema}.read_count(record, 'failures'), 2147483647)::integer as failures,
      least({schema}.read_count(record, 'stalls'), 2147483647)::integer as stalls,
      case when record ? 'resetAt' then 0 else {schema}.read_count({schema}.read_record(extras) -> 'spent', 'attempts') end as carried,
      coalesce(run_at, nullif({schema}.read_count(record, 'runAt'), 0)) as run_at
    from (
      select id, lane, state, run_at, extras, case when record is null then '{}' else {schema}.read_record(record) end as record
      from run r where r.state in ${WAITING} and not ${isClaimed('r')} offset 0) read) waiting;
`;
