-- Settles runs that all completed at their first attempt, which is what most exchanges carry:
-- nothing of them continues, so that the statement is a third of the general one, most of whose
-- time would be its start. Runs whose result a caller waits for are left to the general one; a run
-- with a concurrency key is not found here, as its claim says no row of it.
v_end := nextval('end_order');
with settled as (
  update run r set state = State.completed, epoch = s.epoch, ord = v_end,
    claimed_at = s.started_at, heartbeat_at = null, ended_at = s.at,
    holds_key = false, wants_cancel = false, is_dead = false, error_name = null,
    result = s.result, record = null
  from (
    select unnest(p_rows_at) as row_at, unnest(p_epochs) as epoch, unnest(p_lane_seqs) as lane_seq,
      unnest(p_started_ats) as started_at, unnest(p_instants) as at, unnest(p_results) as result,
      generate_series(1::bigint, cardinality(p_rows_at)) as n) s
  where
    r.ctid = s.row_at and r.ord = s.lane_seq and r.keep_ms is null
    and r.epoch = case r.state when State.started then s.epoch
      when State.submitted then s.epoch - 1 end
  returning s.n as n, r.ctid as row_at, r.id
), ended as (
  insert into finished (ord, count, ids, rows_at)
  select v_end, count(*), array_agg(id), array_agg(row_at) from settled having count(*) > 0
)
select array_agg(n) into v_settled from settled;
