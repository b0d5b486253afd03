/**
 * Writes outcomes, each by the holder of its epoch only. One statement takes the runs out of \`inflight\` and puts
 * them where they go. Moves, one letter each: \`r\` front of the lane, \`b\` back of it, \`s\` schedule; \`C X D\`
 * completed, cancelled, dropped; \`f t l\` failed, stalled, rate limited, and in capitals when disposable. Ids must not
 * repeat. A wish to cancel ends what would go on. A run that completes at its first attempt has no record: its columns
 * say all.
 *
 * Gives one letter per settlement (ok, already, fenced, gone), and the lanes that got back runs whose key is free.
 */
export const SETTLE = `
create function settle_runs(
  p_ids text[], p_epochs integer[], p_moves text, p_if_expired boolean, p_ats bigint[],
  p_errors text[], p_results text[], p_records text, p_now bigint,
  out o_answers text, out o_lanes text[]
) language plpgsql as $$
declare
  v_taken bigint[];
  v_keys text[];
begin
  with taken as (
    delete from inflight i
    using unnest(p_ids, p_epochs, string_to_array(p_moves, null), p_ats, p_errors, p_results,
      string_to_array(p_records, chr(10), '')) with ordinality as s (id, epoch, move, at, error, result, record, n)
    where i.id = s.id and i.epoch = s.epoch and (not p_if_expired or i.lease_until <= p_now)
    returning s.n, s.id, i.lane, s.epoch, s.at, s.error, s.result, s.record,
      i.key, i.key_limit, i.key_waits, i.holds_key, i.submitted_at, i.run_at, i.claimed_at,
      case when i.wants_cancel and s.move in ('r', 'b', 's') then 'c' else s.move end as move
  ), front as (
    insert into ready (lane, ord, id, epoch, key, key_limit, key_waits, record)
    select lane, -nextval('front_order'), id, epoch, key, key_limit, key_waits, record
    from (select * from taken where move = 'r' order by n desc) released
  ), back as (
    insert into ready (lane, ord, id, epoch, key, key_limit, key_waits, record)
    select lane, nextval('back_order'), id, epoch, key, key_limit, key_waits, record
    from (select * from taken where move = 'b' order by n) again
  ), later as (
    insert into scheduled (lane, run_at, ord, id, epoch, key, key_limit, key_waits, record)
    select lane, at, nextval('back_order'), id, epoch, key, key_limit, key_waits, record
    from (select * from taken where move = 's' order by n) later
  ), over as (
    insert into ended (id, ord, lane, state, is_dead, epoch, ended_at, error_name, result, record,
      submitted_at, run_at, claimed_at)
    select id, nextval('end_order'), lane,
      case move when 'C' then 'completed' when 'D' then 'dropped' when 'f' then 'failed' when 'F' then 'failed'
        when 't' then 'stalled' when 'T' then 'stalled' when 'l' then 'rate_limited' when 'L' then 'rate_limited'
        else 'cancelled' end,
      move in ('f', 't', 'l'), epoch, case move when 'c' then p_now else at end, error, result, record,
      case when record is null then submitted_at end, case when record is null then run_at end,
      case when record is null then claimed_at end
    from taken where move not in ('r', 'b', 's')
  )
  select array_agg(n), array_agg(distinct key) filter (where holds_key) into v_taken, v_keys from taken;

  if v_keys is not null then
    o_lanes := give_back(v_keys);
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
export const ANSWER_UNSETTLED = `
create function answer_unsettled(p_ids text[], p_epochs integer[], p_records text, p_taken bigint[]) returns text
language sql set enable_hashjoin = on as $$
  select string_agg(
    case
      when t.n is not null then 'o'
      when not exists (select from run where run.id = s.id) then 'g'
      when (select case when p.state = 'completed' and p.record is null then p.epoch || ':complete'
          else p.record ->> 'settledBy' end from place p where p.id = s.id)
        = coalesce(s.record::json ->> 'settledBy', s.epoch || ':complete') then 'a'
      else 'f'
    end, '' order by s.n)
  from unnest(p_ids, p_epochs, string_to_array(p_records, chr(10), '')) with ordinality as s (id, epoch, record, n)
  left join unnest(p_taken) as t (n) on t.n = s.n
$$;
`;

/**
 * Returns parked runs to their lanes, as many as their keys now allow, and gives those lanes. Whoever frees a key
 * waits for whoever is claiming by it, so that none is parked by a look from before.
 */
export const GIVE_BACK = `
create function give_back(p_keys text[]) returns text[] language plpgsql as $$
declare
  v_hash integer;
  v_lanes text[];
begin
  for v_hash in select distinct hashtext(key) from unnest(p_keys) key order by 1 loop
    perform pg_advisory_xact_lock({lock}, v_hash);
  end loop;
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
        limit greatest(0, line.key_limit - (select count(*) from inflight i where i.key = line.key and i.holds_key))
      ) free))
    returning *
  ), returned as (
    insert into ready (lane, ord, id, epoch, submitted_at, run_at, key, key_limit, key_waits, record)
    select lane, ord, id, epoch, submitted_at, run_at, key, key_limit, key_waits, record from offered
  )
  select array_agg(distinct lane) into v_lanes from offered;
  return v_lanes;
end
$$;
`;
