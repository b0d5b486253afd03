import { MAX_INSTANT_AT } from '@retry/core';
import { longBytes, noteLong } from './exchange/long-texts.ts';
import { hasId, isAt } from './fragments.ts';
import { isStartedBy, writeClaim } from './leases.ts';
import { state } from './letters.ts';
import { call, head } from './signatures.ts';

const HOUR_MS = 3_600_000;

/** How long a request may be on its way, and arrive after another with the same id. */
const LATE_REQUEST_MS = 30_000;

/** The most finished runs that one call forgets, in whole rows. */
const MAX_TRIMMED = 20_000;

/** The most rows of the tally that one call sums up. */
const MAX_TALLIED = 10_000;

/** Keeps the keys of forgotten runs, the rows `forgotten`, until the instant that `keepKeys` sets, seen from the SQL expression `now`. */
export const keepKeys = (forgotten: string, now: string): string => `
    insert into kept_key (id, until)
    select id, least(ended_at + p_keep_keys_ms, ${MAX_INSTANT_AT}) from ${forgotten}
    where is_keyed and ended_at + p_keep_keys_ms > ${now}
    on conflict (hash, id) do update set until = excluded.until
`;

/**
 * Deletes the long texts of finished runs that are beyond what is kept of them, then forgets the oldest finished runs beyond those that
 * are kept, by their number and their end, in batches. Returns the order of the last row that it has removed as a whole. Keys stay known
 * for a time.
 */
export const TRIM: string = `
create function ${head('trim_finished')} returns bigint
language plpgsql set enable_hashjoin = on as $$
declare
  v_edge record;
  v_row record;
  v_ended bigint;
  v_old bigint;
  v_last bigint;
  v_reached bigint;
begin
  if p_keep_bytes is not null then
    perform delete_long(p_keep_bytes);
  end if;
  if p_keep_for_ms is not null then
    for v_row in select ord, ids from finished where ord > p_trim_from order by ord limit ${MAX_TRIMMED} loop
      v_ended := (select ended_at from run where ${hasId('run', 'v_row.ids[1]')} and ord = v_row.ord);
      exit when v_ended > p_now - p_keep_for_ms;
      v_old := v_row.ord;
    end loop;
  end if;
  -- The newest row that has runs beyond the number that is kept, and how many of its own runs those are.
  select ord, count, least(count, upto - p_keep_finished)::bigint as excess into v_edge
  from (
    select ord, count, sum(count) over (order by ord desc) as upto from finished
    where ord > p_trim_from and p_keep_finished >= 0) newest
  where upto > p_keep_finished order by ord desc limit 1;
  if v_old is not null and v_old >= coalesce(v_edge.ord, v_old) then
    select ord, count, count::bigint as excess into v_edge from finished where ord = v_old;
  end if;
  if v_edge is null then
    return null;
  end if;
  select max(ord) into v_last
  from (select ord, sum(count) over (order by ord) - count as before from finished
    where ord > p_trim_from and ord <= v_edge.ord order by ord limit ${MAX_TRIMMED}) oldest
  where before < ${MAX_TRIMMED} and (ord < v_edge.ord or v_edge.excess = v_edge.count);
  with whole as (
    delete from finished where ctid = any (array (
      select ctid from finished where ord > p_trim_from and ord <= v_last order by ord for update skip locked))
    returning ord, ids, rows_at
  ), edge as (
    update finished f set ids = f.ids[v_edge.excess + 1:], rows_at = f.rows_at[v_edge.excess + 1:], count = f.count - v_edge.excess
    from (select ctid as row_at, ids[:v_edge.excess] as ids, rows_at[:v_edge.excess] as rows_at from finished
      where ord = v_edge.ord and count = v_edge.count and v_edge.excess < count for update skip locked) old
    where f.ctid = old.row_at
    returning f.ord, old.ids, old.rows_at
  ), rows as (
    select ord, ids, rows_at from whole union all select ord, ids, rows_at from edge
  ), old as not materialized (
    select ord, unnest(ids) as id, unnest(rows_at) as row_at from rows
  ), by_row as (
    delete from run r using old where r.ctid = any (array (select row_at from old)) and ${isAt('r', 'old.row_at', 'old.id')}
      and r.ord = old.ord returning r.id, r.is_keyed, r.ended_at
  ), by_id as (
    -- As a rule the condition holds for none, and the server looks for no run. The lateral one keeps it from reading all of them.
    delete from run where ctid = any (array (
      select found.row_at from old,
        lateral (select ctid as row_at from run r where ${hasId('r', 'old.id')} and r.ord = old.ord for update) found
      where (select count(*) from by_row) < (select sum(cardinality(ids)) from rows)))
    returning id, is_keyed, ended_at
  ), forgotten as not materialized (
    select * from by_row union all select * from by_id
  ), keys as (${keepKeys('forgotten', 'p_now')}  ), counted as (
    insert into tally (submitted, forgotten) select 0, count(*) from forgotten having count(*) > 0
  )
  select max(ord) into v_reached from whole;
  delete from long_finished where ord <= v_reached;
  if exists (select from long_finished where ord = v_edge.ord) then
    perform recount_long(array[v_edge.ord]);
  end if;
  return v_reached;
end
$$;
`;

/**
 * Ended runs whose results a caller waits for are kept in \`awaited\`, where retention does not touch them, until the result
 * has been collected or has expired.
 */
export const AWAITED: string = `
create function keep_awaited(p_ids text[]) returns void language sql as $$
  insert into awaited (id, until, ord)
  select r.id, r.ended_at + r.keep_ms, r.ord from unnest(p_ids) as kept (id) join run r on ${hasId('r', 'kept.id')}
$$;

create function release_awaited(p_rows tid[]) returns bigint language plpgsql as $$
declare
  v_end bigint;
  v_ids text[];
  v_long bigint;
begin
  if cardinality(p_rows) = 0 then
    return 0;
  end if;
  v_end := nextval('end_order');
  with taken as (
    delete from awaited where ctid = any (p_rows) returning id, until, ord
  ), moved as (
    update run r set ord = v_end from taken where ${hasId('r', 'taken.id')} and r.ord = taken.ord
    returning r.id, taken.until, ${longBytes('r')} as long
  )
  select array_agg(id order by until, id), sum(long) into v_ids, v_long from moved;
  if v_ids is not null then
    insert into finished (ord, count, ids) values (v_end, cardinality(v_ids), v_ids);${noteLong('v_end', 'v_long')}
  end if;
  return cardinality(p_rows);
end
$$;
`;

/**
 * Finds started runs of some lanes whose lease has expired, longest ago first.
 *
 * 1. The row of a claim has the earliest end of its leases and the lanes of its runs; claims of other lanes are skipped.
 * 2. Where heartbeats have extended all leases of a claim, the claim gets the earliest of them.
 * 3. A claim whose runs have all been settled is removed, once no request of it can be on its way any longer. As a rule its
 *    worker has done so, unless others have settled the runs, or a transaction.
 */
export const EXPIRED: string = `
create function ${head('expired_ids', 'out o_ids text[]')}
language plpgsql as $$
declare
  v_claim record;
  v_next bigint;
  v_leases bigint[] := '{}';
  v_more text[];
  v_ends bigint[];
begin
  o_ids := '{}';
  for v_claim in
    select worker, request, at, until, ids, ords from claim
    where until <= p_now and (p_lanes is null or lanes is null or lanes && p_lanes)
      and (p_except_lanes is null or lanes is null or not lanes <@ p_except_lanes)
    order by until for update skip locked
  loop
    -- Every lease that is found from here on ends later than these.
    exit when (select count(*) from unnest(v_leases) as lease where lease <= v_claim.until) >= p_limit;
    perform ${writeClaim('v_claim')};
    -- A run that is being settled at this moment still has the lease of its claim.
    select min(case r.state when ${state('started')} then r.lease_until else v_claim.until end) into v_next
    from unnest(v_claim.ids, v_claim.ords) as c (id, ord),
      lateral (select * from run where ${isStartedBy('run', 'c')} offset 0) r;
    if v_next is null and v_claim.at < p_now - ${LATE_REQUEST_MS} then
      delete from claim where worker = v_claim.worker and request = v_claim.request;
    else
      update claim set until = coalesce(v_next, p_now + ${LATE_REQUEST_MS})
      where worker = v_claim.worker and request = v_claim.request and until <> coalesce(v_next, p_now + ${LATE_REQUEST_MS});
    end if;
    continue when v_next is null or v_next > p_now;
    select array_agg(id), array_agg(lease_until) into v_more, v_ends
    from (select r.id, r.lease_until from unnest(v_claim.ids, v_claim.ords) as c (id, ord)
        join run r on ${hasId('r', 'c.id')}
      where r.state = ${state('started')} and r.ord = c.ord and r.lease_until <= p_now
        and (p_lanes is null or r.lane = any (p_lanes)) and (p_except_lanes is null or r.lane <> all (p_except_lanes))
      for update of r skip locked) late;
    o_ids := o_ids || v_more;
    v_leases := v_leases || v_ends;
  end loop;
end
$$;

create function ${head('find_expired')} returns text language plpgsql {settings} as $$
declare
  v_ids text[] := ${call('expired_ids', {
    limit: 'p_limit',
    lanes: 'p_lanes',
    exceptLanes: 'p_except_lanes',
    now: 'now_ms()',
  })};
begin
  return (
    select coalesce(json_agg(shown order by n)::text, '[]')
    from show_runs(array (
      select r.id from unnest(v_ids) as found (id),
        lateral (select * from run where ${hasId('run', 'found.id')} offset 0) r
      order by r.lease_until, r.id limit p_limit), false));
end
$$;
`;

/** The most rows of each kind that one call removes. */
const MAX_TIDIED = 5_000;

const oldest = (table: string): string => `array (
    select ctid from ${table} where until <= p_now order by until limit ${MAX_TIDIED} for update skip locked)`;

/**
 * Sums up the tally and error groups, and removes what has expired: keys, awaited results, holds, processes that waited an hour ago. Returns
 * whether everything is removed, and how many awaited runs were not collected. Rows that another client is
 * removing at this moment are skipped.
 */
export const TIDY: string = `
create function tidy(p_now bigint, out o_released bigint, out o_is_all boolean) language plpgsql as $$
declare
  v_count bigint;
begin
  with old as (
    delete from tally where ctid = any (array (select ctid from tally limit ${MAX_TALLIED} for update skip locked)) returning *
  )
  insert into tally (submitted, forgotten) select sum(submitted), sum(forgotten) from old having count(*) > 0;
  delete from kept_key where ctid = any (${oldest('kept_key')});
  get diagnostics v_count = row_count;
  o_released := release_awaited(${oldest('awaited')});
  o_is_all := v_count < ${MAX_TIDIED} and o_released < ${MAX_TIDIED};
  delete from waiter where until < p_now - ${HOUR_MS};
  perform forget_holds(p_now);
  perform tidy_groups();
end
$$;
`;
