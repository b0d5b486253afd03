-- Finds started runs of the lanes p_lanes, or of all but p_except_lanes, whose lease has expired by
-- p_now, longest ago first, at most p_limit.
--
-- 1. The row of a claim has the earliest end of its leases and the lanes of its runs; claims of
--    other lanes are skipped.
-- 2. Where heartbeats have extended all leases of a claim, the claim gets the earliest of them.
-- 3. A claim whose runs have all been settled is removed, once no request of it can be on its way
--    any longer. As a rule its worker has done so, unless others have settled the runs, or a
--    transaction.
--
-- Returns their ids.
-- Locks the rows of claims, then those of runs, and skips those that are locked.
create function expired_ids(
  p_limit bigint, p_lanes text[], p_except_lanes text[], p_now bigint, out o_ids text[]
) language plpgsql as $$
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
    exit when
      (select count(*) from unnest(v_leases) as lease where lease <= v_claim.until) >= p_limit;
    perform write_claim(p_ids => v_claim.ids, p_lane_seqs => v_claim.ords, p_at => v_claim.at,
      p_lease_until => v_claim.until);
    -- A run that is being settled at this moment still has the lease of its claim.
    select min(case r.state when State.started then r.lease_until else v_claim.until end)
    into v_next
    from unnest(v_claim.ids, v_claim.ords) as c (id, ord),
      lateral (select * from run where isStartedBy(run, c) offset 0) r;
    if v_next is null and v_claim.at < p_now - Limit.lateRequestMs then
      delete from claim where worker = v_claim.worker and request = v_claim.request;
    else
      update claim set until = coalesce(v_next, p_now + Limit.lateRequestMs)
      where worker = v_claim.worker and request = v_claim.request
        and until <> coalesce(v_next, p_now + Limit.lateRequestMs);
    end if;
    continue when v_next is null or v_next > p_now;
    select array_agg(id), array_agg(lease_until) into v_more, v_ends
    from (select r.id, r.lease_until from unnest(v_claim.ids, v_claim.ords) as c (id, ord)
        join run r on hasId(r, c.id)
      where r.state = State.started and r.ord = c.ord and r.lease_until <= p_now
        and (p_lanes is null or r.lane = any (p_lanes))
        and (p_except_lanes is null or r.lane <> all (p_except_lanes))
      for update of r skip locked) late;
    o_ids := o_ids || v_more;
    v_leases := v_leases || v_ends;
  end loop;
end
$$;
