-- Which of the runs p_ids, started as p_epochs, have a cancel request.
--
-- Returns a letter for each.
create function find_cancel_requests(p_ids text[], p_epochs bigint[])
returns text language plpgsql stable
-- @include settings
as $$
begin
  return (
    select string_agg(case when r.wants_cancel then Answer.heartbeat.cancel
      else Answer.heartbeat.ok end, '' order by b.n)
    from (select unnest(p_ids) as id, unnest(p_epochs) as epoch,
      generate_series(1::bigint, cardinality(p_ids)) as n) b
      left join lateral (select * from run where hasId(run, b.id) offset 0) r
        on case r.state when State.started then r.epoch = b.epoch
          when State.submitted then r.epoch = b.epoch - 1 else false end);
end
$$;
