-- Extends the leases of the runs p_ids, started as p_epochs, by p_lease_ms from now on.
--
-- Returns a letter for each: it is still valid, has a cancel request, is fenced, or gone.
-- Locks the rows of the runs. One that is being settled in its handler's transaction is locked: it
-- is skipped.
create function heartbeat(p_ids text[], p_epochs bigint[], p_lease_ms bigint)
returns text language plpgsql
-- @include settings
as $$
declare
  v_now bigint := now_ms();
begin
  -- A run that is being settled in its handler's transaction is locked: it is skipped.
  perform write_starts(p_ids);
  update run set lease_until = greatest(lease_until, v_now + p_lease_ms),
    heartbeat_at = greatest(heartbeat_at, v_now)
  where ctid = any (array (
    select r.row_at from unnest(p_ids, p_epochs) as b (id, epoch), lateral (
      select ctid as row_at from run where hasId(run, b.id) and run.epoch = b.epoch
        and state = State.started
      for update skip locked) r));
  return (
    -- @include lease-answers
    );
end
$$;
