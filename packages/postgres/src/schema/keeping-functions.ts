import { MAX_INSTANT_AT } from '@retry/core';
import { hasId } from './find-by-id.ts';
import { isStartedBy } from './started.ts';

/** Keeps the ids that users gave to runs that are now gone, until their time is over. */
export const keepKeys = (gone: string): string => `
    insert into kept_key (id, until)
    select id, least(ended_at + p_keep_keys, ${MAX_INSTANT_AT}) from ${gone}
    where is_keyed and ended_at + p_keep_keys > p_now
    on conflict (hash, id) do update set until = excluded.until
`;

/**
 * Forgets the oldest finished runs beyond those that are kept, and gives how far it came. An id that a user gave stays
 * known for a time.
 */
export const TRIM: string = `
create function trim_finished(p_keep bigint, p_low bigint, p_keep_keys bigint, p_now bigint) returns bigint
language plpgsql as $$
declare
  v_edge record;
  v_last bigint;
  v_reached bigint;
begin
  -- The row from which on there are too many, and how many of its own are.
  select ord, count, least(count, upto - p_keep) as excess into v_edge
  from (select ord, count, sum(count) over (order by ord desc) as upto from finished where ord > p_low) newest
  where upto > p_keep order by ord desc limit 1;
  if v_edge is null then
    return null;
  end if;
  select max(ord) into v_last
  from (select ord, sum(count) over (order by ord) - count as before from finished
    where ord > p_low and ord <= v_edge.ord order by ord limit 20000) oldest
  where before < 20000 and (ord < v_edge.ord or v_edge.excess = v_edge.count);
  with whole as (
    delete from finished where ctid = any (array (
      select ctid from finished where ord > p_low and ord <= v_last order by ord for update skip locked))
    returning ord, ids
  ), edge as (
    update finished f set ids = f.ids[v_edge.excess + 1:], count = f.count - v_edge.excess
    from (select ctid as place, ids[:v_edge.excess] as ids from finished
      where ord = v_edge.ord and count = v_edge.count and v_edge.excess < count for update skip locked) old
    where f.ctid = old.place
    returning f.ord, old.ids
  ), old as (
    select ord, unnest(ids) as id from whole union all select ord, unnest(ids) from edge
  ), gone as (
    delete from run r using old where ${hasId('r', 'old.id')} and r.ord = old.ord returning r.id, r.is_keyed, r.ended_at
  ), keys as (${keepKeys('gone')}  ), counted as (
    insert into tally (submitted, forgotten) select 0, count(*) from gone having count(*) > 0
  )
  select max(ord) into v_reached from whole;
  return v_reached;
end
$$;
`;

/**
 * Runs that have ended and whose results a caller waits for are kept apart from those that retention may forget, until
 * their result was collected or its time is over.
 */
export const AWAITED: string = `
create function await_results(p_ids text[]) returns void language sql as $$
  insert into awaited (id, until, ord)
  select r.id, r.ended_at + r.keep_ms, r.ord from unnest(p_ids) as kept (id) join run r on ${hasId('r', 'kept.id')}
$$;

create function finish_awaited(p_places tid[]) returns bigint language plpgsql as $$
declare
  v_end bigint;
  v_ids text[];
begin
  if cardinality(p_places) = 0 then
    return 0;
  end if;
  v_end := nextval('end_order');
  with taken as (
    delete from awaited where ctid = any (p_places) returning id, until, ord
  ), moved as (
    update run r set ord = v_end from taken where ${hasId('r', 'taken.id')} and r.ord = taken.ord
    returning r.id, taken.until
  )
  select array_agg(id order by until, id) into v_ids from moved;
  if v_ids is not null then
    insert into finished (ord, count, ids) values (v_end, cardinality(v_ids), v_ids);
  end if;
  return cardinality(p_places);
end
$$;
`;

/**
 * What a claim got, for the one who asks again, and for the one who looks for leases that have run out. A request that is
 * made once more when its answer has been forgotten is another claim; the one before stands under a name of its own.
 */
export const REMEMBER = `
create function remember_claim(
  p_worker text, p_request text, p_at bigint, p_until bigint, p_ids text[], p_ords bigint[], p_claimed text, p_lanes text[]
) returns void language sql as $$
  update claim set request = concat(request, ' ', nextval('end_order')) where worker = p_worker and request = p_request;
  insert into claim values (p_worker, p_request, p_at, p_until, p_ids, p_ords, p_claimed,
    array (select distinct lane from unnest(p_lanes) as lane))
$$;
`;

/**
 * Started runs of some lanes whose lease has run out, longest ago first. A claim says when the first of its leases may
 * end and which lanes its runs are of: claims of other lanes are passed over, however many they are. Where heartbeats have
 * moved a lease on, that is written down, and a claim whose runs have all been settled is forgotten once no client can ask
 * for it again.
 */
export const EXPIRED: string = `
create function expired_ids(p_limit bigint, p_lanes text[], p_except text[], p_now bigint, out o_ids text[])
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
    select worker, request, at, until, ids, ords, claimed is not null as has_reply from claim
    where until <= p_now and (p_lanes is null or lanes is null or lanes && p_lanes)
      and (p_except is null or lanes is null or not lanes <@ p_except)
    order by until for update skip locked
  loop
    -- Whatever is found from here on ends later than these.
    exit when (select count(*) from unnest(v_leases) as lease where lease <= v_claim.until) >= p_limit;
    perform note_claim(v_claim.ids, v_claim.ords, v_claim.at, v_claim.until);
    -- One that somebody is settling at this moment still has the lease of the claim.
    select min(case r.state when 'r' then r.lease_until else v_claim.until end) into v_next
    from unnest(v_claim.ids, v_claim.ords) as c (id, ord),
      lateral (select * from run where ${isStartedBy('run', 'c')} offset 0) r;
    if v_next is null and (not v_claim.has_reply or v_claim.at < p_now - 3600000) then
      delete from claim where worker = v_claim.worker and request = v_claim.request;
    else
      update claim set until = coalesce(v_next, p_now + 3600000)
      where worker = v_claim.worker and request = v_claim.request and until <> coalesce(v_next, p_now + 3600000);
    end if;
    continue when v_next is null or v_next > p_now;
    select array_agg(id), array_agg(lease_until) into v_more, v_ends
    from (select r.id, r.lease_until from unnest(v_claim.ids, v_claim.ords) as c (id, ord)
        join run r on ${hasId('r', 'c.id')}
      where r.state = 'r' and r.ord = c.ord and r.lease_until <= p_now
        and (p_lanes is null or r.lane = any (p_lanes)) and (p_except is null or r.lane <> all (p_except))
      for update of r skip locked) late;
    o_ids := o_ids || v_more;
    v_leases := v_leases || v_ends;
  end loop;
end
$$;

create function expired_runs(p_limit bigint, p_lanes text[], p_except text[]) returns text language plpgsql {settings} as $$
declare
  v_ids text[] := expired_ids(p_limit, p_lanes, p_except, now_ms());
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

/** Rows that are tidied up in one step. */
const TIDIED = 5_000;

const oldest = (table: string): string => `array (
    select ctid from ${table} where until <= p_now order by until limit ${TIDIED} for update skip locked)`;

/**
 * Adds up the tally, lets go of what was kept for a time only, and forgets waiting processes of an hour ago, in steps: it
 * says whether there may be more, and how many awaited runs were not collected. Rows that another client tidies up at this
 * moment are left to them.
 */
export const TIDY: string = `
create function tidy(p_now bigint, out o_released bigint, out o_is_all boolean) language plpgsql as $$
declare
  v_count bigint;
begin
  with old as (
    delete from tally where ctid = any (array (select ctid from tally limit 10000 for update skip locked)) returning *
  )
  insert into tally (submitted, forgotten) select sum(submitted), sum(forgotten) from old having count(*) > 0;
  delete from kept_key where ctid = any (${oldest('kept_key')});
  get diagnostics v_count = row_count;
  o_released := finish_awaited(${oldest('awaited')});
  o_is_all := v_count < ${TIDIED} and o_released < ${TIDIED};
  delete from waiter where until < p_now - 3600000;
end
$$;
`;
