-- What each claim leases, or has leased. It is a function, so that every plan expects many rows and
-- reads them once.
--
-- Returns for each run the instant of its start, the end of its lease, its id, and its order in its
-- lane.
create function leased() returns table (at bigint, until bigint, id text, ord bigint)
language plpgsql stable rows 1000000 as $$
begin
  return query select c.at, c.until, l.id, l.ord from claim c, unnest(c.ids, c.ords) as l (id, ord)
    -- Always true. Lets the server use an index, since these plans must not read whole tables.
    where c.until >= 0;
end
$$;

-- Writes starts into the rows of the runs p_ids, where claims have not done so.
--
-- Locks the rows of the runs. It skips those that are locked: these runs are being settled.
create function write_starts(p_ids text[])
returns void language plpgsql set enable_hashjoin = on as $$
declare
  v_rows tid[] := array (
    select r.row_at from unnest(p_ids) as c (id),
      lateral (select ctid as row_at from run
        where hasId(run, c.id) and isClaimed(run) for update skip locked) r);
begin
  if cardinality(v_rows) > 0 then
    update run r set state = State.started, epoch = nextEpoch(epoch), claimed_at = l.at,
      heartbeat_at = l.at, lease_until = l.until
    from leased() l where r.ctid = any (v_rows) and isStartedBy(r, l);
  end if;
end
$$;

-- The same for the runs of one claim: p_ids with their orders p_lane_seqs, started at p_at and
-- leased until p_lease_until.
--
-- Locks the rows of the runs, and skips those that are locked.
create function write_claim(p_ids text[], p_lane_seqs bigint[], p_at bigint, p_lease_until bigint)
returns void language sql as $$
  update run r set state = State.started, epoch = nextEpoch(epoch), claimed_at = p_at,
    heartbeat_at = p_at, lease_until = p_lease_until
  where ctid = any (array (
    select r.ctid from unnest(p_ids, p_lane_seqs) as l (id, ord) join run r on hasId(r, l.id)
    where r.ord = l.ord and isClaimed(r) for update of r skip locked));
$$;
