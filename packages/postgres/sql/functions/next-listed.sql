-- The next entries of one list, p_list, in its order, each with what its order is by. An entry
-- keeps it as long as its run stays where it is, so that a page continues behind it, whatever else
-- has moved. Every list is read by an index:
--
-- - `waiting`: what is ready, parked or behind a turn, by lane and order
-- - `scheduled`: by lane, instant and order
-- - `started`: by claim and id; the instant is that of the start
-- - `dead`: dead letters, by id
-- - `grouped`: those of one error group, by lane and id
-- - `awaited`: by the instant until when the result is kept, and id
-- - `finished`: by the order that all have in common which ended together, and id
--
-- p_lane, p_error_group: the lane and the group, null for any
-- p_look: how many entries
-- p_after_name, p_after_request, p_after_at, p_after_ord, p_after_id: the entry behind which it
--   begins
--
-- Returns the entries: lane or worker, request, instant, order and id.
create function next_listed(
  p_list text, p_lane text, p_error_group text, p_look bigint, p_after_name text,
  p_after_request text, p_after_at bigint, p_after_ord bigint, p_after_id text
) returns table (name text, request text, at bigint, ord bigint, id text)
language plpgsql stable as $$
#variable_conflict use_column
declare
  v_row record;
  v_left bigint := p_look;
  v_count bigint;
begin
  case
    when p_list = 'waiting' and p_lane is null then
      return query select * from (
          (select lane, null::text, null::bigint, ord, id from ready
          where (lane, ord) > (p_after_name, p_after_ord) order by lane, ord limit p_look)
          union all (select lane, null::text, null::bigint, ord, id from parked
          where (lane, ord) > (p_after_name, p_after_ord) and key_limit > 0
          order by lane, ord limit p_look)
          union all (select lane, null::text, null::bigint, ord, id from behind
          where (lane, ord) > (p_after_name, p_after_ord) and key > ''
          order by lane, ord limit p_look)) all_of order by 1, 4 limit p_look;
    when p_list = 'waiting' then
      return query select * from (
          (select lane, null::text, null::bigint, ord, id from ready
          where lane = p_lane and (ord) > (p_after_ord) order by lane, ord limit p_look)
          union all (select lane, null::text, null::bigint, ord, id from parked
          where lane = p_lane and (ord) > (p_after_ord) and key_limit > 0
          order by lane, ord limit p_look)
          union all (select lane, null::text, null::bigint, ord, id from behind
          where lane = p_lane and (ord) > (p_after_ord) and key > ''
          order by lane, ord limit p_look)) all_of order by 1, 4 limit p_look;
    when p_list = 'scheduled' and p_lane is null then
      return query (select lane, null::text, run_at, ord, id from scheduled
          where (lane, run_at, ord) > (p_after_name, p_after_at, p_after_ord)
          order by lane, run_at, ord limit p_look);
    when p_list = 'scheduled' then
      return query (select lane, null::text, run_at, ord, id from scheduled
          where lane = p_lane and (run_at, ord) > (p_after_at, p_after_ord)
          order by lane, run_at, ord limit p_look);
    when p_list = 'started' then
      for v_row in select * from claim c
        where (c.worker, c.request) >= (p_after_name, p_after_request)
        order by c.worker, c.request loop
        return query select v_row.worker::text, v_row.request::text, v_row.at, l.ord, l.id
          from unnest(v_row.ids, v_row.ords) as l (id, ord)
          where (v_row.worker, v_row.request) <> (p_after_name, p_after_request)
            or l.id collate "C" > p_after_id
          order by l.id collate "C";
        get diagnostics v_count = row_count;
        v_left := v_left - v_count;
        exit when v_left <= 0;
      end loop;
    when p_list = 'dead' then
      return query select null::text, null::text, null::bigint, r.ord, r.id from run r
        where is_dead and r.id > p_after_id order by r.id limit p_look;
    when p_list = 'grouped' and p_lane is null then
      return query select r.lane, null::text, null::bigint, r.ord, r.id from run r
        where is_dead and r.error_group = p_error_group
          and (r.lane, r.id) > (p_after_name, p_after_id) order by r.lane, r.id limit p_look;
    when p_list = 'grouped' then
      return query select r.lane, null::text, null::bigint, r.ord, r.id from run r
        where is_dead and r.error_group = p_error_group and r.lane = p_lane and r.id > p_after_id
        order by r.id limit p_look;
    when p_list = 'awaited' then
      return query select null::text, null::text, a.until, a.ord, a.id from awaited a
        where (a.until, a.id) > (p_after_at, p_after_id) order by a.until, a.id limit p_look;
    when p_list = 'finished' then
      for v_row in select * from finished f where f.ord >= p_after_ord order by f.ord loop
        return query select null::text, null::text, null::bigint, v_row.ord, l.id
          from unnest(v_row.ids) as l (id)
          where v_row.ord <> p_after_ord or l.id collate "C" > p_after_id order by l.id collate "C";
        get diagnostics v_count = row_count;
        v_left := v_left - v_count;
        exit when v_left <= 0;
      end loop;
  end case;
end
$$;
