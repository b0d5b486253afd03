-- Keeps the ended runs p_ids whose results a caller waits for in `awaited`, where retention does
-- not touch them, until the result has been collected or has expired.
--
-- Locks nothing.
create function keep_awaited(p_ids text[]) returns void language sql as $$
  insert into awaited (id, until, ord)
  select r.id, r.ended_at + r.keep_ms, r.ord
  from unnest(p_ids) as kept (id) join run r on hasId(r, kept.id)
$$;

-- Moves the rows p_rows of `awaited` to the finished runs.
--
-- Returns how many there were.
-- Locks the rows, which its caller has locked, and those of the runs.
create function release_awaited(p_rows tid[]) returns bigint language plpgsql as $$
declare
  v_end bigint;
  v_ids text[];
  v_long bigint;
begin
  if cardinality(p_rows) = 0 then
    return 0;
  end if;
  v_end := nextval('end_order');
  with taken as (
    delete from awaited where ctid = any (p_rows) returning id, until, ord
  ), moved as (
    update run r set ord = v_end from taken where hasId(r, taken.id) and r.ord = taken.ord
    returning r.id, taken.until, longBytes(r) as long
  )
  select array_agg(id order by until, id), sum(long) into v_ids, v_long from moved;
  if v_ids is not null then
    insert into finished (ord, count, ids) values (v_end, cardinality(v_ids), v_ids);
    -- @include note-long
  end if;
  return cardinality(p_rows);
end
$$;
