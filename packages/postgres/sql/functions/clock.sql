-- The clock of record: whole epoch milliseconds, rounded down so that nothing is early.
--
-- Returns the instant now.
-- Locks nothing.
create function now_ms() returns bigint language sql volatile as $$
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint
$$;
