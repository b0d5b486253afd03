-- By how much the dead letters that groups count differ from those that there are.
select coalesce(sum(abs(n)), 0)::bigint as n from (
  select sum(count) as n from (
    select lane, id, count from error_group
    union all select lane, id, -count from dead_groups()) both_of
  group by lane, id) differences
