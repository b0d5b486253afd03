-- Notifies, if any process waits for it, that these lanes may have work now (p_ready) or later
-- (p_later), or that runs have ended whose results a caller waits for (p_results).
--
-- Locks nothing.
create function notify_waiters(p_ready text[], p_later text[], p_results boolean)
returns void language plpgsql as $$
declare
  v_work boolean := (p_ready is not null or p_later is not null) and isAwaited(now_ms());
  v_results boolean := p_results
    and exists (select from waiter where until > now_ms() and for_results);
  v_message text;
  v_is_sent boolean;
begin
  if v_work or v_results then
    v_message := noticeOf(case when v_work then p_ready end, case when v_work then p_later end,
      v_results);
    v_is_sent := isSent(v_message);
  end if;
end
$$;
