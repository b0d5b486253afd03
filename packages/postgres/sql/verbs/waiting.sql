-- Keeps a row for the process p_waiter, which waits for work, or for results with p_for_results,
-- for p_ttl_ms from now on.
--
-- Locks its row.
create function start_waiting(p_waiter text, p_ttl_ms bigint, p_for_results boolean)
returns void language sql
-- @include settings
as $$
  insert into waiter (id, until, for_results) values (p_waiter, now_ms() + p_ttl_ms, p_for_results)
  on conflict (id) do update set until = excluded.until
$$;

-- Removes the row of the process p_waiter.
--
-- Locks its row.
create function stop_waiting(p_waiter text) returns void language sql
-- @include settings
as $$
  delete from waiter where id = p_waiter
$$;

-- Whether one of the lanes p_lanes, each read from p_low_seqs on, has work, when one has by time
-- alone, and which are on hold.
--
-- Returns it as JSON, with the clock.
-- Locks nothing.
create function poll_lanes(p_lanes text[], p_low_seqs bigint[]) returns text language plpgsql
-- @include settings
as $$
declare
  v_now bigint := now_ms();
begin
  return (select json_build_object(
    'now', v_now,
    'ready', bool_or(has_ready and until is null),
    'due', min(nextWorkAt(has_ready, due, until)),
    'held', coalesce(json_agg(lane) filter (where until is not null), '[]')
  )::text
  from (
    select asked.lane, hasReady(asked.lane, asked.low) as has_ready,
      (select s.run_at from scheduled s where s.lane = asked.lane order by s.run_at limit 1) as due,
      heldUntil(asked.lane, v_now) as until
    from unnest(p_lanes, p_low_seqs) as asked (lane, low)) lanes);
end
$$;
