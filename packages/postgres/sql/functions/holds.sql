-- Removes holds of lanes that have ended by p_now: they are no longer looked at. One that probes
-- ends only when it is resumed. The statement that finds the runs of a claim reads holds, too, and
-- so starts none that was submitted after a hold of its lane was answered, whenever the claim
-- began.
--
-- Locks the rows of these holds, and skips those that are locked.
create function forget_holds(p_now bigint) returns void language sql as $$
  delete from hold where ctid = any (array (
    select ctid from hold where probe_ms is null and until <= p_now for update skip locked))
$$;

-- Makes waiting processes poll for work of the lanes p_lanes, of every lane if the empty one is
-- among them; of none if they are null.
--
-- Locks nothing.
create function notify_held(p_lanes text[]) returns void language plpgsql as $$
begin
  if p_lanes is null then
    return;
  end if;
  if Hold.allLanes <> all (p_lanes) then
    perform notify_waiters(null, p_lanes, false);
  elsif exists (select from waiter where until > now_ms() and not for_results) then
    perform pg_notify(Schema.channel, '');
  end if;
end
$$;

-- From which of the lanes p_lanes, each with the most that it may start, p_lane_limits, a claim may
-- start runs at p_now: none of those on hold, one of those whose hold probes.
--
-- Returns the limits by which it claims, whether each is on hold, and the lanes that are probed.
-- Locks a hold that probes, until the claim is committed; one that another claim has locked keeps
-- its lane on hold for this one.
create function open_lanes(
  p_lanes text[], p_lane_limits bigint[], p_now bigint, out o_limits bigint[], out o_held boolean[],
  out o_probing text[]
) language plpgsql as $$
declare
  v_locked text[];
begin
  perform forget_holds(p_now);
  v_locked := array (
    select lane from hold
    where lane = any (p_lanes) and probe_ms is not null and until <= p_now
    for update skip locked);
  select
    array_agg(
      case when is_held then 0 when probes > 0 then least(most, 1) else most end order by n),
    array_agg(is_held order by n), array_agg(lane) filter (where probes > 0 and not is_held)
  into o_limits, o_held, o_probing
  from (
    select n, lane, most, probes, until is not null
      or probes > (select count(*) from unnest(v_locked) locked where locked = lane) as is_held
    from (
      select asked.n, asked.lane, asked.most, heldUntil(asked.lane, p_now) as until,
        (select count(*) from hold h where h.lane = asked.lane and h.probe_ms is not null) as probes
      from (select unnest(p_lanes) as lane, unnest(p_lane_limits) as most,
        generate_series(1::bigint, cardinality(p_lanes)) as n) asked) held
  ) lanes;
end
$$;

-- Sets when the lanes p_probing are probed again of which the claim p_request of p_worker let a run
-- through at p_now, and says what it knows of the lanes p_lanes, each read from p_low_seqs on and
-- its next run due at p_dues.
--
-- Returns, as part of a JSON object, which lanes are probed, which ones are on hold, and when the
-- claim gets more by time alone.
-- Locks the rows of these holds.
create function note_probes(
  p_worker text, p_request text, p_lanes text[], p_low_seqs bigint[], p_dues bigint[],
  p_probing text[], p_now bigint
) returns text language plpgsql as $$
declare
  v_probes text[];
begin
  with probed as (
    update hold h set until = least(p_now + probe_ms, Limit.instantAt) from claim c
    where c.worker = p_worker and c.request = p_request and h.lane = any (p_probing)
      and h.lane = any (c.lanes) and h.probe_ms is not null
    returning h.lane
  )
  select array_agg(distinct lane) into v_probes from probed;
  return (
    select concat(',"probes":', coalesce(to_json(v_probes)::text, '[]'),
      ',"held":', coalesce(json_agg(lane) filter (where until is not null)::text, '[]'),
      ',"nextAt":', coalesce(min(nextWorkAt(has_ready, due, until))::text, 'null'))
    from (
      select asked.lane, asked.due, heldUntil(asked.lane, p_now) as until,
        hasReady(asked.lane, asked.low) as has_ready
      from (select unnest(p_lanes) as lane, unnest(p_low_seqs) as low, unnest(p_dues) as due,
        generate_series(1::bigint, cardinality(p_lanes)) as n) asked) lanes);
end
$$;
