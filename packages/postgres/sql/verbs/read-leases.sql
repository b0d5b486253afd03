-- What a heartbeat would answer of the runs p_ids, started as p_epochs. It only reads.
--
-- Returns a letter for each: it is still valid, has a cancel request, is fenced, or gone.
create function read_leases(p_ids text[], p_epochs bigint[])
returns text language plpgsql stable
-- @include settings
as $$
begin
  return (
    -- @include lease-answers
    );
end
$$;
