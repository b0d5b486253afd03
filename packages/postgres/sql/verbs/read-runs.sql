-- Reads the first of the runs p_ids, without payloads, as many as fit into one reply.
--
-- Returns them as JSON, with the clock.
create function read_runs(p_ids text[]) returns text language plpgsql stable
-- @include settings
as $$
begin
  return (
    select json_build_object('now', now_ms(), 'runs',
      coalesce(json_agg(shown order by n), '[]'))::text
    from show_runs(p_ids, false));
end
$$;
