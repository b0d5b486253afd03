import { MAX_INSTANT_AT } from '@retry/core';
import { hasId } from './find-by-id.ts';
import { isClaimed, isStartedBy } from './started.ts';

/**
 * Writes outcomes, each by the holder of its epoch only: one statement, which rewrites the runs and puts them in line
 * where they go on. Moves, one letter each: \`r\` front of the lane, \`b\` back of it, \`s\` schedule; the ends, which are
 * states too: \`C X D\` completed, cancelled, dropped, \`f t l\` failed, stalled, rate limited, and in capitals when
 * disposable. Ids must not repeat. A cancel request ends what would go on. A run that completes at its first attempt has
 * no record: its columns say all. Who knows where a run stood in its lane has claimed it. A delay counts from now.
 *
 * Gives one letter per settlement (ok, already, fenced, gone), the lanes that got back runs whose key is free, those where
 * runs go on, and whether one has ended whose result a caller waits for.
 */
export const SETTLE: string = `
create function settle_runs(
  p_ids text[], p_epochs bigint[], p_places bigint[], p_moves text, p_if_expired boolean, p_starts bigint[], p_ats bigint[],
  p_delays bigint[], p_errors text[], p_results text[], p_records text, p_now bigint,
  out o_answers text, out o_lanes text[], out o_ready text[], out o_later text[], out o_results boolean
) language plpgsql as $$
declare
  v_end bigint := nextval('end_order');
  v_front bigint := case when strpos(p_moves, 'r') > 0 then -nextval('front_order') end;
  v_taken bigint[];
  v_keys text[];
  v_awaited text[];
begin
  with taken as (
    update run r set
      state = case when s.move not in ('r', 'b', 's') then s.move when r.wants_cancel then 'X'
        when s.move = 's' then 's' else 'w' end::"char",
      epoch = s.epoch,
      ord = case when r.wants_cancel then v_end else s.ord end,
      submitted_at = case when s.record is null then r.submitted_at end,
      run_at = case when s.move = 's' then s.due when s.record is null then r.run_at end,
      claimed_at = case when s.record is null then s.started end,
      heartbeat_at = case when s.record is null then s.started end,
      ended_at = case when s.move not in ('r', 'b', 's') then s.at when r.wants_cancel then p_now end,
      holds_key = false, wants_cancel = false, is_dead = s.move in ('f', 't', 'l'),
      error_name = s.error, result = s.result, record = s.record
    from (
      select *, case move when 'b' then nextval('back_order') when 's' then nextval('back_order')
        when 'r' then v_front + n - 1 else v_end end as ord,
        case when delay is null then at else least(p_now + delay, ${MAX_INSTANT_AT}) end as due
      from unnest(p_ids, p_epochs, p_places, string_to_array(p_moves, null), p_starts, p_ats, p_delays, p_errors, p_results,
        string_to_array(p_records, chr(10), ''))
        with ordinality as s (id, epoch, place, move, started, at, delay, error, result, record, n)
    ) s
    where ${hasId('r', 's.id')} and (s.place is null or r.ord = s.place) and case r.state
      when 'r' then r.epoch = s.epoch and (not p_if_expired or r.lease_until <= p_now)
      when 'w' then r.epoch = s.epoch - 1 and (s.place is not null or ${isClaimed('r')})
        and (not p_if_expired or exists (select from held() h where ${isStartedBy('r', 'h')} and h.until <= p_now))
      else false end
    returning s.n, r.id, r.lane, r.state, r.ord, r.run_at, r.key, r.is_dead, r.keep_ms
  ), again as (
    insert into ready (lane, ord, id, key) select lane, ord, id, key from taken where state = 'w'
  ), later as (
    insert into scheduled (lane, run_at, ord, id) select lane, run_at, ord, id from taken where state = 's'
  ), over as (
    insert into finished (ord, count, ids) select v_end, count(*), array_agg(id order by n)
    from taken where state not in ('w', 's') and not is_dead and keep_ms is null having count(*) > 0
  )
  select array_agg(n), array_agg(distinct key) filter (where key is not null),
    array_agg(distinct lane) filter (where state = 'w'), array_agg(distinct lane) filter (where state = 's'),
    coalesce(bool_or(keep_ms is not null and state not in ('w', 's')), false),
    array_agg(id) filter (where keep_ms is not null and state not in ('w', 's') and not is_dead)
  into v_taken, v_keys, o_ready, o_later, o_results, v_awaited from taken;

  if v_keys is not null then
    o_lanes := give_back(v_keys);
  end if;
  if v_awaited is not null then
    perform await_results(v_awaited);
  end if;
  if cardinality(v_taken) = cardinality(p_ids) then
    o_answers := repeat('o', cardinality(p_ids));
  else
    o_answers := answer_unsettled(p_ids, p_epochs, p_records, coalesce(v_taken, '{}'));
  end if;
end
$$;
`;

/** Why the settlements that took nothing took nothing. */
export const ANSWER_UNSETTLED: string = `
create function answer_unsettled(p_ids text[], p_epochs bigint[], p_records text, p_taken bigint[]) returns text
language sql set enable_hashjoin = on as $$
  -- Fails where the snapshot of a transaction is older than the claim, which it then would not see.
  select from unnest(p_ids, p_epochs) as s (id, epoch),
    lateral (select from run r join ready l on l.lane = r.lane and l.ord = r.ord
      where ${hasId('r', 's.id')} and r.state = 'w' and r.epoch = s.epoch - 1 for update of l skip locked) waiting;
  select string_agg(
    case
      when t.n is not null then 'o'
      when r.id is null then 'g'
      when case when r.state = 'C' and r.record is null then r.epoch || ':complete' else read_record(r.record) ->> 'settledBy' end
        = coalesce(read_record(s.record) ->> 'settledBy', s.epoch || ':complete') then 'a'
      else 'f'
    end, '' order by s.n)
  from unnest(p_ids, p_epochs, string_to_array(p_records, chr(10), '')) with ordinality as s (id, epoch, record, n)
  left join unnest(p_taken) as t (n) on t.n = s.n
  left join run r on ${hasId('r', 's.id')}
$$;
`;

/** Keeps others from claiming by these keys, and from freeing them; in one order, so that nobody waits crosswise. */
export const LOCK_KEYS = `
create function lock_keys(p_keys text[]) returns void language plpgsql as $$
declare
  v_hash integer;
begin
  for v_hash in select distinct hashtext(key) from unnest(p_keys) key order by 1 loop
    perform pg_advisory_xact_lock({lock}, v_hash);
  end loop;
end
$$;

create function need_read_committed(p_what text) returns void language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception '% needs the isolation level read committed, this connection has %',
      p_what, current_setting('transaction_isolation') using errcode = 'RT002';
  end if;
end
$$;
`;

/**
 * Returns parked runs to their lanes, as many as their keys now allow, and gives those lanes. Whoever frees a key
 * waits for whoever is claiming by it, so that none is parked by a look from before.
 */
export const GIVE_BACK = `
create function give_back(p_keys text[]) returns text[] language plpgsql as $$
declare
  v_lanes text[];
begin
  if cardinality(p_keys) = 0 then
    return null;
  end if;
  perform need_read_committed('what frees a concurrency key');
  perform lock_keys(p_keys);
  with recursive line (key, lane, key_limit) as (
    select k.key, first.lane, first.key_limit
    from unnest(p_keys) as k (key),
      lateral (select p.lane, p.key_limit from parked p where p.key = k.key order by p.lane, p.key_limit limit 1) first
    union all
    select line.key, next.lane, next.key_limit
    from line, lateral (
      select p.lane, p.key_limit from parked p
      where p.key = line.key and (p.lane, p.key_limit) > (line.lane, line.key_limit)
      order by p.lane, p.key_limit limit 1) next
  ), offered as (
    delete from parked where ctid = any (array (
      select free.ctid from line, lateral (
        select p.ctid from parked p
        where p.key = line.key and p.lane = line.lane and p.key_limit = line.key_limit
        order by p.ord
        limit greatest(0, line.key_limit - (select count(*) from run r where r.key = line.key and r.holds_key))
      ) free))
    returning *
  ), returned as (
    insert into ready (lane, ord, id, key) select lane, ord, id, key from offered
  )
  select array_agg(distinct lane) into v_lanes from offered;
  return v_lanes;
end
$$;
`;
