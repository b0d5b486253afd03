-- Counts all runs: each of them while they are few. Either way is one statement, and therefore sees
-- one moment.
--
-- Returns the figures as JSON.
-- Locks nothing.
create function audit_runs()
returns text language plpgsql set search_path = Schema.name, pg_temp as $$
begin
  if coalesce((select sum(submitted) - sum(forgotten) from tally), 0) <= Limit.auditedEach then
    return audit_each();
  end if;
  return audit_counts();
end
$$;
