-- Starts the next runs of all lanes in one statement, in the order asked, as long as it sees only
-- plain ones. Else it starts none, and `claim_runs` has to.
--
-- 1. A lane is read from `p_low_seqs` on; released runs, which have an order below zero, are always
--    read.
-- 2. It does not write into the rows of the runs: see `isClaimed`.
-- 3. The same statement stores the claim, for a worker that repeats the request and for the search
--    of expired leases.
-- 4. `v_apart` has the ids of runs whose payloads are rows of their own.
if p_limit = 1 then
  with
  -- @include claim-one
  select case when ready_at is not null then is_plain end,
    case when is_plain and is_apart then array[id] end,
    case when is_plain then array[lines] end,
    case when is_plain then ',"runs":1' end
  into v_is_plain, v_apart, v_lines, v_runs from found;
else
  v_setting := set_config('enable_hashjoin', 'on', true);
  -- @include claim-lines
  if v_is_plain and v_is_cut then
    -- @include claim-lines first
  end if;
  v_setting := set_config('enable_hashjoin', 'off', true);
end if;
