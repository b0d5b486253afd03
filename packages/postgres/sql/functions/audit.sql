-- Counts dead letters by their groups.
--
-- Returns lane, group and number of each.
create function dead_groups()
returns table (lane text, id text, count bigint) language sql stable set enable_seqscan = off as $$
  select lane, error_group, count(*) from run where is_dead group by error_group, lane
$$;

-- The states of all dead letters. Without statistics a server would expect every second run to be
-- one, and read all.
--
-- Returns the letter of each.
create function dead_states()
returns setof "char" language sql stable set enable_seqscan = off as $$
  select state from run where is_dead
$$;

-- Counts the runs by state. `unbalanced` counts runs that are not exactly once in the location that
-- their state requires, and turns of fairness keys that are not of exactly one run.
--
-- Returns the figures as JSON. In this language a connection keeps the plan, which takes longer to
-- make than the audit of few runs.
-- Locks nothing.
create function audit_each()
returns text language plpgsql set search_path = Schema.name, pg_temp set jit = off as $$
begin
  return (
    with counted as (
      select coalesce(sum(submitted), 0) as submitted, coalesce(sum(forgotten), 0) as forgotten
      from tally
    ), runs as (
      select r.id, r.ord, r.is_dead,
        case when l.id is null then r.state else State.started end as state
      from run r left join leased() l on isStartedBy(r, l)
    ), states as (
      select state_name(state) as state, count(*) as n from runs group by 1
    ), ends as (
      select coalesce(json_object_agg(state, n), '{}') as ended
      from states where state not in (StateNames.active)
    ), locations as (
      select id, State.submitted::"char" as state, ord from ready
      union all select id, State.submitted, ord from parked
      union all select id, State.submitted, ord from behind
      union all select id, State.scheduled, ord from scheduled
      union all select unnest(ids), Audited.ended, ord from finished
      union all select id, Audited.ended, ord from awaited
      union all select id, Audited.deadLetter, ord from run where is_dead
      union all (select r.id, State.started, r.ord from leased() l join run r on isStartedBy(r, l))
    ), stray as (
      select count(*) as n from (
        select coalesce(r.id, p.id)
        from runs r full join locations p on p.id = r.id and p.ord = r.ord
          and p.state = case when r.state in (States.active) then r.state
            when r.is_dead then Audited.deadLetter else Audited.ended end
        group by 1 having count(r.id) <> 1 or count(p.id) <> 1) wrong
    ), groups as (
      -- @include wrong-groups
    ), turns as (
      -- @include wrong-turns
    ), sums as (
      select coalesce(sum(n) filter (where state = 'submitted'), 0) as submitted,
        coalesce(sum(n) filter (where state = 'scheduled'), 0) as scheduled,
        coalesce(sum(n) filter (where state = 'started'), 0) as started, coalesce(sum(n), 0) as n
      from states
    )
    select json_build_object('created', c.submitted, 'forgotten', c.forgotten,
      'submitted', s.submitted, 'scheduled', s.scheduled, 'started', s.started, 'ended', e.ended,
      'unbalanced', w.n + g.n + t.n + abs(c.submitted - c.forgotten - s.n))::text
    from counted c, ends e, stray w, groups g, turns t, sums s
  );
end
$$;

-- Counts the runs by location, without looking for each of them: waiting runs are counted, and not
-- read.
--
-- Returns the figures as JSON.
-- Locks nothing.
create function audit_counts()
returns text language sql set search_path = Schema.name, pg_temp set jit = off as $$
  with counted as (
    select coalesce(sum(submitted), 0) as submitted, coalesce(sum(forgotten), 0) as forgotten
    from tally
  ), few as materialized (
    select coalesce(sum(count), 0) <= Limit.auditedById as few from finished
  ), locations as materialized (
    select (select count(*) from ready) + (select count(*) from parked)
        + (select count(*) from behind) as submitted,
      (select count(*) from scheduled) as scheduled,
      (select count(*) from leased() l,
        lateral (select from run r where isStartedBy(r, l) offset 0) found) as started
  ), ended as (
    select r.state from finished f, unnest(f.ids) as one (id),
      lateral (select * from run where hasId(run, one.id) offset 0) r where (select few from few)
    union all select r.state from awaited a,
      lateral (select * from run where hasId(run, a.id) offset 0) r where (select few from few)
    union all select d.state from dead_states() as d (state) where (select few from few)
    union all select state from run where state not in (States.active) and not (select few from few)
  ), groups as materialized (
    -- @include wrong-groups
  ), turns as materialized (
    -- @include wrong-turns
  ), ends as materialized (
    select coalesce(json_object_agg(state, n), '{}') as ended, coalesce(sum(n), 0) as n
    from (select state_name(state) as state, count(*) as n from ended group by 1) states
  )
  select json_build_object('created', c.submitted, 'forgotten', c.forgotten,
    'submitted', l.submitted, 'scheduled', l.scheduled, 'started', l.started, 'ended', e.ended,
    'unbalanced',
      g.n + t.n
        + abs(c.submitted - c.forgotten - l.submitted - l.scheduled - l.started - e.n))::text
  from counted c, locations l, groups g, turns t, ends e
$$;
