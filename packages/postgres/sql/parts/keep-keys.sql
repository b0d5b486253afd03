-- Keeps the keys of the runs `forgotten` known for p_keep_keys_ms.
--
-- by-parameter  the instant is p_now, and otherwise v_now.
insert into kept_key (id, until)
select id, least(ended_at + p_keep_keys_ms, Limit.instantAt) from forgotten
where is_keyed and ended_at + p_keep_keys_ms >
  -- @if by-parameter
  p_now
  -- @else
  v_now
  -- @end
on conflict (hash, id) do update set until = excluded.until
