-- Updates runs, and puts those that continue into their lane or the schedule. It adds to what
-- earlier statements have found, in whatever order the join finds the runs. A run is found where
-- its claim has seen it: no index is searched. No other waiting or started run has its order in the
-- lane, so its id need not be compared.
--
-- by-id  its row is not known, or has moved since, for instance by a heartbeat; what has been
--        settled is left out
v_end := nextval('end_order');
with settled as (
  update run r set
    state = case when s.destination not in (Destinations.continued) then s.destination
      when r.wants_cancel then State.cancelled
      when s.destination = Destination.schedule then State.scheduled
      else State.submitted end::"char",
    epoch = s.epoch,
    ord = case when r.wants_cancel then v_end else s.ord end,
    submitted_at = case when s.record is null then r.submitted_at end,
    run_at = case when s.destination = Destination.schedule then s.due
      when s.record is null then r.run_at end,
    claimed_at = case when s.record is null then s.started_at end,
    heartbeat_at = null,
    ended_at = case when s.destination not in (Destinations.continued) then s.at
      when r.wants_cancel then v_now end,
    holds_key = r.holds_key and r.keeps_key is true
      and s.destination in (Destinations.continued) and not r.wants_cancel,
    holds_lane = nullif(r.holds_lane, true),
    wants_cancel = false, is_dead = s.destination in (States.deadLetters),
    error_name = s.error, error_group = v_groups[s.group_number], spent = s.spent,
    result = s.result, record = s.record
  from (
    select *,
      case destination when Destination.back then nextval('back_order')
        when Destination.schedule then nextval('back_order')
        when Destination.front then v_front + n - 1 else v_end end as ord,
      case when delay is null then at else least(v_now + delay, Limit.instantAt) end as due
    from (
      select
        -- @if by-id
        unnest(p_ids) as id,
        -- @else
        unnest(p_rows_at) as row_at,
        -- @end
        unnest(p_epochs) as epoch, unnest(p_lane_seqs) as lane_seq,
        unnest(string_to_array(p_destinations, null)) as destination,
        unnest(p_started_ats) as started_at, unnest(p_instants) as at, unnest(p_delays_ms) as delay,
        unnest(p_error_names) as error, unnest(p_group_numbers) as group_number,
        unnest(p_spent) as spent, unnest(p_results) as result,
        unnest(string_to_array(p_records, chr(10), '')) as record,
        -- @if by-id
        generate_series(1::bigint, cardinality(p_ids)) as n) s
        -- @else
        generate_series(1::bigint, cardinality(p_rows_at)) as n) s
        -- @end
  ) s
  where
    -- @if by-id
    hasId(r, s.id) and (s.lane_seq is null or r.ord = s.lane_seq)
    and s.n not in (select unnest(v_settled))
    -- @else
    r.ctid = s.row_at and r.ord = s.lane_seq
    -- @end
    and case r.state
      when State.started then r.epoch = s.epoch
        and (not p_only_if_expired or r.lease_until <= v_now)
      when State.submitted then r.epoch = s.epoch - 1
        and (s.lane_seq is not null or isClaimed(r))
        and (not p_only_if_expired
          or exists (select from leased() l where isStartedBy(r, l) and l.until <= v_now))
      else false end
  returning s.n, r.ctid as row_at, r.id, r.lane, r.state, r.ord, r.run_at, r.key, r.holds_lane,
    r.is_dead, r.keep_ms, s.group_number, r.error_group, r.spent, r.ended_at, longBytes(r) as long,
    r.fairness_key, case when r.fairness_key is not null then locationOf(r) end as place
), ready_again as (
  insert into ready (lane, ord, id, key, row_at, fairness_key)
  select lane, ord, id, key, row_at, fairness_key from settled
  where state = State.submitted and (fairness_key is null or ord < 0)
), for_later as (
  insert into scheduled (lane, run_at, ord, id, row_at)
  select lane, run_at, ord, id, row_at from settled where state = State.scheduled
), ended as (
  insert into finished (ord, count, ids, rows_at)
  select v_end, count(*), array_agg(id), array_agg(row_at) from settled
  where state not in (States.waiting) and not is_dead and keep_ms is null having count(*) > 0
)
select v_settled || array_agg(n),
  v_keys || array_agg(key) filter (where key is not null)
    || array_agg(lane) filter (where holds_lane is null),
  v_ready || array_agg(lane) filter (where state = State.submitted),
  v_later || array_agg(lane) filter (where state = State.scheduled),
  v_results or coalesce(bool_or(keep_ms is not null and state not in (States.waiting)), false),
  v_awaited || array_agg(id)
    filter (where keep_ms is not null and state not in (States.waiting) and not is_dead),
  v_dead || array_agg(
    (lane, error_group, p_group_titles[group_number], id, spent, ended_at, v_end, n)::dead_letter)
    filter (where is_dead),
  sum(long) filter (where state not in (States.waiting) and not is_dead and keep_ms is null),
  v_fair || array_agg(place)
    filter (where fairness_key is not null and state = State.submitted and ord > 0)
into v_settled, v_keys, v_ready, v_later, v_results, v_awaited, v_dead, v_long, v_fair
from settled;
-- @include note-long
