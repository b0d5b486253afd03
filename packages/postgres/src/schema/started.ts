import { hasId } from './find-by-id.ts';

/**
 * A claim writes nothing into the row of a run without a concurrency key: such a row says that its run waits, but the run
 * stands in no lane, and the claim says since when it is started; its epoch is one more than the row counts. What is rare
 * writes that into the row: a heartbeat, a lease that has run out. `offset 0` has the lane looked up for each run, whatever
 * the server believes of its size. A row that had to be waited for is looked at anew, but its lane as it was: whoever locks
 * what is claimed also compares its epoch or its place.
 */
export const isClaimed = (run: string): string =>
  `(${run}.state = 'w' and ${run}.key is null
    and not exists (select from ready l where l.lane = ${run}.lane and l.ord = ${run}.ord offset 0))`;

/** Whether a run is started by what a claim holds: no two places in a line are of one order. */
export const isStartedBy = (run: string, held: string): string =>
  `(${hasId(run, `${held}.id`)} and ${run}.ord = ${held}.ord and ${run}.state in ('w', 'r'))`;

/**
 * What each claim holds, or has held: a function, so that every plan reckons with many and reads them once. And what
 * writes that into the rows of runs, but for those that are being settled: of runs by their ids, or those of one claim.
 */
export const HELD: string = `
create function held() returns table (at bigint, until bigint, id text, ord bigint)
language plpgsql stable rows 1000000 as $$
begin
  return query select c.at, c.until, h.id, h.ord from claim c, unnest(c.ids, c.ords) as h (id, ord)
    where c.until >= 0; -- always so, and lets an index be used: functions are planned as if a table could not be read without
end
$$;

create function note_starts(p_ids text[]) returns void language plpgsql set enable_hashjoin = on as $$
declare
  v_places tid[] := array (
    select r.place from unnest(p_ids) as c (id),
      lateral (select ctid as place from run where ${hasId('run', 'c.id')} and ${isClaimed('run')} for update skip locked) r);
begin
  if cardinality(v_places) > 0 then
    update run r set state = 'r', epoch = epoch + 1, claimed_at = h.at, heartbeat_at = h.at, lease_until = h.until
    from held() h where r.ctid = any (v_places) and ${isStartedBy('r', 'h')};
  end if;
end
$$;

create function note_claim(p_ids text[], p_ords bigint[], p_at bigint, p_until bigint) returns void language sql as $$
  update run r set state = 'r', epoch = epoch + 1, claimed_at = p_at, heartbeat_at = p_at, lease_until = p_until
  where ctid = any (array (
    select r.ctid from unnest(p_ids, p_ords) as h (id, ord) join run r on ${hasId('r', 'h.id')}
    where r.ord = h.ord and ${isClaimed('r')} for update of r skip locked));
$$;
`;
