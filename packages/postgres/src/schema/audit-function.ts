import { isStartedBy } from './leases.ts';
import { ACTIVE, ACTIVE_NAMES, state } from './letters.ts';
import { head } from './signatures.ts';

/** Letters of locations that are no states: in `finished` or `awaited`, and among the dead letters. */
const ENDED = `'e'`;
const DEAD_LETTER = `'d'`;

/** Counts the runs by state. `unbalanced` counts runs that are not exactly once in the location that their state requires. */
export const AUDIT: string = `
create function ${head('audit_runs')} returns text language sql set search_path = {schema}, pg_temp as $$
  with counted as (
    select coalesce(sum(submitted), 0) as submitted, coalesce(sum(forgotten), 0) as forgotten from tally
  ), runs as (
    select r.id, r.ord, r.is_dead, case when l.id is null then r.state else ${state('started')} end as state
    from run r left join leased() l on ${isStartedBy('r', 'l')}
  ), states as (
    select state_name(state) as state, count(*) as n from runs group by 1
  ), ends as (
    select coalesce(json_object_agg(state, n), '{}') as ended
    from states where state not in ${ACTIVE_NAMES}
  ), locations as (
    select id, ${state('submitted')}::"char" as state, ord from ready
    union all select id, ${state('submitted')}, ord from parked
    union all select id, ${state('scheduled')}, ord from scheduled
    union all select unnest(ids), ${ENDED}, ord from finished
    union all select id, ${ENDED}, ord from awaited
    union all select id, ${DEAD_LETTER}, ord from run where is_dead
    union all (select r.id, ${state('started')}, r.ord from leased() l join run r on ${isStartedBy('r', 'l')})
  ), stray as (
    select count(*) as n from (
      select coalesce(r.id, p.id) from runs r full join locations p on p.id = r.id and p.ord = r.ord
        and p.state = case when r.state in ${ACTIVE} then r.state when r.is_dead then ${DEAD_LETTER} else ${ENDED} end
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
