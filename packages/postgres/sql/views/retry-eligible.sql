-- Whether a run may be tried again after p_attempts by a task that allows p_max_attempts, unless it
-- is not p_retryable. The number of attempts that a task allows is in its policy, so this takes it
-- as an argument.
--
-- Returns a truth.
create function is_eligible(
  p_attempts integer, p_max_attempts double precision default 3, p_retryable boolean default true
) returns boolean language sql immutable as $$
  select coalesce(p_attempts, 0) = 0
    or (coalesce(p_retryable, true) and p_attempts < coalesce(p_max_attempts, 3))
$$;

-- For queries by users: which runs wait for another attempt, and when it is due.
create view retry_eligible as
  select id, lane, Schema.name.state_name(state) as state, failures, stalls,
    least(carried + failures + stalls, 2147483647)::integer as attempts,
    to_timestamp(run_at / 1000.0) as next_run_at,
    state = State.submitted or run_at <= Schema.name.now_ms() as is_due
  from (
    select id, lane, state,
      least(Schema.name.read_count(record, 'failures'), 2147483647)::integer as failures,
      least(Schema.name.read_count(record, 'stalls'), 2147483647)::integer as stalls,
      case when record ? 'resetAt' then 0
        else Schema.name.read_count(Schema.name.read_record(extras) -> 'spent', 'attempts')
        end as carried,
      coalesce(run_at, nullif(Schema.name.read_count(record, 'runAt'), 0)) as run_at
    from (
      select id, lane, state, dueOf(r) as run_at, extras,
        case when record is null then '{}' else Schema.name.read_record(record) end as record
      from run r where r.state in (States.waiting) and not isClaimed(r) offset 0) read) waiting;
