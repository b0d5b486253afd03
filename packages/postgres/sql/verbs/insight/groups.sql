-- A page of error groups, those of the lane p_lane or of all, the largest first, at most p_limit,
-- behind the one that p_after_count, p_after_lane and p_after_id say.
--
-- Returns them as JSON, with the number of all dead letters.
create function list_groups(
  p_lane text, p_limit bigint, p_after_count bigint, p_after_lane text, p_after_id text
) returns text language plpgsql stable
-- @include settings
as $$
begin
  return (
    with sums as materialized (
      select lane, id,
        -- @include group-sums
      from error_group where p_lane is null or lane = p_lane group by lane, id having sum(count) > 0
    ), page as materialized (
      select * from sums
      where p_after_count is null or count < p_after_count
        or count = p_after_count and (lane, id) > (p_after_lane, p_after_id)
      order by count desc, lane, id limit p_limit + 1
    ), shown as materialized (
      select p.*, coalesce(
        (select r.id from run r where hasId(r, p.latest_id) and r.is_dead and r.lane = p.lane
          and r.error_group = p.id),
        (select r.id from run r where r.is_dead and r.error_group = p.id and r.lane = p.lane
          order by r.id limit 1), p.latest_id) as sample_id
      from (select * from page order by count desc, lane, id limit p_limit) p
    )
    select json_build_object(
      'deadLetters', (select coalesce(sum(count), 0) from sums),
      'isLast', (select count(*) from page) <= p_limit,
      'groups', (
        select coalesce(json_agg(json_build_object(
          'lane', lane, 'id', id, 'title', title, 'count', count, 'attempts', attempts,
          'firstSeenAt', first_at, 'lastSeenAt', last_at, 'sampleId', sample_id,
          'isOther', id = OtherGroup.id) order by count desc, lane, id), '[]')
        from shown))::text);
end
$$;
