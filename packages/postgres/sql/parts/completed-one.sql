-- One run that completed at its first attempt, where its claim has seen it, as subqueries of one
-- statement: with as few nodes as may be, each of which takes about as long as the update. A run
-- whose result a caller waits for is not found.
settled as (
  update run r set state = State.completed, epoch = p_epochs[1], ord = v_end,
    claimed_at = p_started_ats[1], heartbeat_at = null, ended_at = p_instants[1],
    holds_key = false, wants_cancel = false, is_dead = false, error_name = null,
    result = p_results[1], record = null
  where r.ctid = p_rows_at[1] and r.ord = p_lane_seqs[1] and r.keep_ms is null
    and r.epoch = case r.state when State.started then p_epochs[1]
      when State.submitted then p_epochs[1] - 1 end
  returning 1::bigint as n, r.ctid as row_at, r.id
), ended as (
  insert into finished (ord, count, ids, rows_at)
  select v_end, 1, array[id], array[row_at] from settled
),
