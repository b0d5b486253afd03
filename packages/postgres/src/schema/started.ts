/**
 * A claim writes nothing into the row of a run without a concurrency key: such a row says that its run waits, but the run
 * stands in no lane, and the claim says since when it is started; its epoch is one more than the row counts. What is rare
 * writes that into the row: a heartbeat, a lease that has run out.
 */
export const isClaimed = (run: string): string =>
  `(${run}.state = 'w' and ${run}.key is null
    and not exists (select from ready l where l.lane = ${run}.lane and l.ord = ${run}.ord))`;

/** Whether a run is started by what a claim holds: no two places in a line are of one order. */
export const isStartedBy = (run: string, held: string): string =>
  `(${run}.id = ${held}.id and ${run}.ord = ${held}.ord and ${run}.state in ('w', 'r'))`;

/** What each claim holds, or has held; and what writes it into the rows of runs, but for those that are being settled. */
export const HELD: string = `
create view held as
  select c.at, c.until, h.id, h.ord from claim c, unnest(c.ids, c.ords) as h (id, ord)
  where c.until >= 0; -- always so, and lets an index be used: functions are planned as if a table could not be read without

create function note_starts(p_ids text[]) returns void language plpgsql set enable_hashjoin = on as $$
declare
  v_places tid[] := array (
    select r.ctid from unnest(p_ids) as c (id) join run r on r.id = c.id
    where ${isClaimed('r')} for update of r skip locked);
begin
  if cardinality(v_places) > 0 then
    update run r set state = 'r', epoch = epoch + 1, claimed_at = h.at, heartbeat_at = h.at, lease_until = h.until
    from held h where r.ctid = any (v_places) and ${isStartedBy('r', 'h')};
  end if;
end
$$;
`;
