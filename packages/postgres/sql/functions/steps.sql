-- Begins a step of the operation p_operation by the carrier that has claimed it as p_epoch. It is
-- in the statement that moves the runs.
--
-- Returns whether the step is accepted; without an operation it is.
-- Locks the operation, before all other rows.
create function begin_step(p_operation text, p_epoch bigint) returns boolean language plpgsql as $$
begin
  if p_operation is null then
    return true;
  end if;
  perform from operation where id = p_operation and state = 'running' and epoch = p_epoch
    and stepped < p_epoch for update;
  return found;
end
$$;

-- Counts the step of p_operation in p_epoch: p_done and p_skipped runs, how far it is, p_progress,
-- and whether it was the last one, p_is_last.
--
-- Locks the operation, which `begin_step` has locked.
create function end_step(
  p_operation text, p_epoch bigint, p_skipped bigint, p_progress text, p_is_last boolean,
  p_done bigint
) returns void language sql as $$
  update operation set stepped = p_epoch, done = done + p_done, skipped = skipped + p_skipped,
    progress = p_progress,
    updated_at = now_ms(), state = case when p_is_last then 'done' else state end, ended_at = case
      when p_is_last then now_ms() end
  where id = p_operation
$$;
