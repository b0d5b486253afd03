import { hasId, nextEpoch } from './fragments.ts';
import { state } from './letters.ts';
import { call, head } from './signatures.ts';

/**
 * Whether a run is started, although its row has the state of a waiting one. The claim of a run without a concurrency key does not
 * write into the run's row:
 *
 * 1. The row keeps the state `submitted`; its entry in `ready` is gone.
 * 2. The row of `claim` has the instant of the start; the run's epoch is one more than that of its row.
 * 3. What is rare (a heartbeat, an expired lease) writes both into the row of the run.
 *
 * `offset 0` makes the server find each run by the index, whatever size it estimates for the table. After
 * waiting for a lock, the server reads the row again but not this subquery, so a statement that locks a claimed run also
 * compares its epoch or its order in the lane.
 */
export const isClaimed = (run: string): string =>
  `(${run}.state = ${state('submitted')} and ${run}.key is null
    and not exists (select from ready l where l.lane = ${run}.lane and l.ord = ${run}.ord offset 0))`;

/** Whether this claim started the run: no two entries of lanes have the same order. */
export const isStartedBy = (run: string, lease: string): string =>
  `(${hasId(run, `${lease}.id`)} and ${run}.ord = ${lease}.ord
    and ${run}.state in (${state('submitted')}, ${state('started')}))`;

/**
 * `leased` returns what each claim leases, or has leased. It is a function, so that every plan expects many rows and reads
 * them once.
 *
 * `write_starts` and `write_claim` write starts into the rows of runs, by the ids of runs or those of one claim. They skip
 * rows that are locked: those runs are being settled.
 */
export const LEASES: string = `
create function leased() returns table (at bigint, until bigint, id text, ord bigint)
language plpgsql stable rows 1000000 as $$
begin
  return query select c.at, c.until, l.id, l.ord from claim c, unnest(c.ids, c.ords) as l (id, ord)
    where c.until >= 0; -- always true; lets the server use an index, since these plans must not read whole tables
end
$$;

create function write_starts(p_ids text[]) returns void language plpgsql set enable_hashjoin = on as $$
declare
  v_rows tid[] := array (
    select r.row_at from unnest(p_ids) as c (id),
      lateral (select ctid as row_at from run where ${hasId('run', 'c.id')} and ${isClaimed('run')} for update skip locked) r);
begin
  if cardinality(v_rows) > 0 then
    update run r set state = ${state('started')}, epoch = ${nextEpoch('epoch')}, claimed_at = l.at, heartbeat_at = l.at, lease_until = l.until
    from leased() l where r.ctid = any (v_rows) and ${isStartedBy('r', 'l')};
  end if;
end
$$;

create function ${head('write_claim')} returns void language sql as $$
  update run r set state = ${state('started')}, epoch = ${nextEpoch('epoch')}, claimed_at = p_at, heartbeat_at = p_at, lease_until = p_lease_until
  where ctid = any (array (
    select r.ctid from unnest(p_ids, p_lane_seqs) as l (id, ord) join run r on ${hasId('r', 'l.id')}
    where r.ord = l.ord and ${isClaimed('r')} for update of r skip locked));
$$;
`;

/** Writes the starts of one claim, the row `claim` of a loop, into the rows of its runs. */
export const writeClaim = (claim: string): string =>
  call('write_claim', {
    ids: `${claim}.ids`,
    laneSeqs: `${claim}.ords`,
    at: `${claim}.at`,
    leaseUntil: `${claim}.until`,
  });
