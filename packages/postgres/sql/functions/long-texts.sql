-- Counts again what is left of the long texts of rows of `finished`, p_ords, when runs were taken
-- out.
--
-- Locks the rows of `long_finished`.
create function recount_long(p_ords bigint[]) returns void language sql as $$
  update long_finished l set bytes = (
    select coalesce(sum(longBytes(r)), 0) from finished f, unnest(f.ids) as one (id),
      lateral (select * from run where hasId(run, one.id) offset 0) r
    where f.ord = l.ord and r.ord = f.ord)
  where l.ord = any (p_ords)
$$;

-- Deletes the long texts of the runs that ended first until those of the others take no more than
-- p_keep_bytes: all of a row of `finished`. The runs stay.
--
-- Locks the rows of `finished`, skipping those that are locked, as statements do that take runs out
-- of such a row; then those of the runs.
create function delete_long(p_keep_bytes bigint) returns void language plpgsql as $$
declare
  v_ords bigint[];
begin
  select array_agg(ord) into v_ords from (
    select ord
    from (select ord, sum(bytes) over (order by ord desc) as upto from long_finished) newest
    where upto > p_keep_bytes order by ord limit Limit.trimmedRows) oldest;
  if v_ords is null then
    return;
  end if;
  -- Statements that take runs out of such a row lock it first, too.
  v_ords := array (
    select ord from finished where ord = any (v_ords) order by ord for update skip locked);
  update run r set payload = case when isLong(r.payload) then trimmedText() else r.payload end,
    result = case when isLong(r.result) then trimmedText() else r.result end
  from finished f, unnest(f.ids) as one (id)
  where f.ord = any (v_ords) and hasId(r, one.id) and r.ord = f.ord and longBytes(r) > 0;
  delete from long_finished where ord = any (v_ords);
end
$$;
