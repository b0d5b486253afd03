-- Reads the runs p_ids in the order asked, null for an unknown one, as many as fit into one reply:
-- the first, and those that fit beside it; their payloads and results only with p_payloads. A
-- record is passed as text, even an unreadable one: the client parses each by itself. It is
-- `stable`, so it sees the tables as the calling statement does.
--
-- Returns for each its place, its id, whether it has ended, and its values in the order of
-- `RunRow`.
create function show_runs(
  p_ids text[], p_payloads boolean
) returns table (n bigint, id text, has_ended boolean, shown json)
language sql stable set enable_hashjoin = on as $$
  -- @include show
$$;

-- The same for a list of p_ids, which knows when claims started them, p_ats, and the orders p_ords
-- of these runs: reading the claims of all runs takes time by their number. p_payloads as above.
--
-- Returns what `show_runs` returns.
create function show_listed(
  p_ids text[], p_ats bigint[], p_ords bigint[], p_payloads boolean
) returns table (n bigint, id text, has_ended boolean, shown json)
language sql stable set enable_hashjoin = on as $$
  -- @include show listed
$$;
