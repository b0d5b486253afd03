import { isStartedBy } from './started.ts';

/** Counts the runs by their states, and those that do not stand in line where their state says, or stand twice. */
export const AUDIT: string = `
create function audit_runs() returns text language sql set search_path = {schema}, pg_temp as $$
  with counted as (
    select coalesce(sum(submitted), 0) as submitted, coalesce(sum(forgotten), 0) as forgotten from tally
  ), runs as (
    select r.id, r.ord, r.is_dead, case when h.id is null then r.state else 'r' end as state
    from run r left join held() h on ${isStartedBy('r', 'h')}
  ), states as (
    select state_name(state) as state, count(*) as n from runs group by 1
  ), ends as (
    select coalesce(json_object_agg(state, n), '{}') as ended
    from states where state not in ('submitted', 'scheduled', 'started')
  ), places as (
    select id, 'w'::"char" as state, ord from ready
    union all select id, 'w', ord from parked
    union all select id, 's', ord from scheduled
    union all select unnest(ids), 'e', ord from finished
    union all select id, 'e', ord from awaited
    union all select id, 'd', ord from run where is_dead
    union all (select r.id, 'r', r.ord from held() h join run r on ${isStartedBy('r', 'h')})
  ), stray as (
    select count(*) as n from (
      select coalesce(r.id, p.id) from runs r full join places p on p.id = r.id and p.ord = r.ord
        and p.state = case when r.state in ('w', 's', 'r') then r.state when r.is_dead then 'd' else 'e' end
      group by 1 having count(r.id) <> 1 or count(p.id) <> 1) wrong
  ), sums as (
    select coalesce(sum(n) filter (where state = 'submitted'), 0) as submitted,
      coalesce(sum(n) filter (where state = 'scheduled'), 0) as scheduled,
      coalesce(sum(n) filter (where state = 'started'), 0) as started, coalesce(sum(n), 0) as n
    from states
  )
  select json_build_object('created', c.submitted, 'forgotten', c.forgotten, 'submitted', s.submitted,
    'scheduled', s.scheduled, 'started', s.started, 'ended', e.ended,
    'unbalanced', w.n + abs(c.submitted - c.forgotten - s.n))::text
  from counted c, ends e, stray w, sums s
$$;
`;
