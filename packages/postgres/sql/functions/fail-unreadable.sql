-- Fails the runs p_ids that are in the lane p_lane at p_now but have no row, or whose epoch cannot
-- be incremented: dead letters with an error of their own, which replaces what their rows contain.
--
-- Locks the rows of the runs, and what `admit_groups` locks.
create function fail_unreadable(p_lane text, p_ids text[], p_now bigint)
returns void language plpgsql as $$
declare
  v_group text := (admit_groups(array[p_lane], array[Unreadable.group.id]))[1];
  v_dead dead_letter[];
begin
  with failed as (
    insert into run (id, state, epoch, ord, lane, payload, submitted_at, run_at, ended_at, is_dead,
      error_name, error_group, spent, record)
    select id, DeadLetter.failed, 1, nextval('end_order'), p_lane, '', p_now, p_now, p_now, true,
      Unreadable.name, v_group, 1,
      json_build_object(
        'settledBy', Unreadable.settledBy, 'failures', 1, 'firstStartedAt', p_now,
        'startedAt', p_now, 'heartbeatAt', p_now, 'endedAt', p_now,
        'errors', json_build_array(json_build_object(
          'epoch', 1, 'at', p_now, 'name', Unreadable.name, 'reason', 'ended', 'message',
          'the run is in its lane, but its row is missing, or its epoch cannot be incremented'
        )))::text
    from unnest(p_ids) as unreadable (id)
    on conflict (hash, id) do update set
      state = excluded.state, epoch = excluded.epoch, ord = excluded.ord,
      run_at = coalesce(run.run_at, run.submitted_at), ended_at = excluded.ended_at,
      is_dead = true, holds_key = false, holds_lane = false, wants_cancel = false,
      error_name = excluded.error_name, error_group = excluded.error_group,
      spent = excluded.spent, record = excluded.record
    returning lane, error_group, id, spent, ended_at, ord
  )
  select array_agg(
    (lane, error_group, Unreadable.group.title, id, spent, ended_at, ord, ord)::dead_letter)
  into v_dead from failed;
  perform join_groups(v_dead);
end
$$;
