-- How many turns have no run, or runs no turn, and how many keys have runs behind none.
select (
  select coalesce(sum(abs(n)), 0)::bigint from (
    select sum(count) as n from (
      select lane, fairness_key as key, 1 as count from ready where hasTurn(ready)
      union all select lane, key, -1 from turn) both_of
    group by lane, key) differences)
  + (select count(*) from (select distinct lane, key from behind) b
    where not exists (select from turn t where t.lane = b.lane and t.key = b.key)) as n
