import { MAX_BATCH_BYTES } from '@retry/core/broker/kit';
import { byHash, isAt, sizeOf, unnestNumbered } from '../fragments.ts';
import { IS_ANY_HELD, isOpen } from '../operators/hold.ts';
import { LAST_EPOCH } from './claim-steps.ts';
import { IS_RELEASED, isBeyond } from './lane-order.ts';
import { isOneLine, linesOf, payloadLine, RUN_LINES } from './lines.ts';

/** Removes the earlier claims of a worker whose runs have all been settled, unless another exchange is doing so. */
export const END_CLAIMS = `delete from claim where ctid = any (array (
        select ctid from claim where worker = p_worker and request = any (p_ended_requests) for update skip locked))`;

/** What {@link CLAIM_LINES} works with. */
export const CLAIM_LINES_VARIABLES = `
  v_is_plain boolean;
  v_is_cut boolean;
  v_lines text[];
  v_apart text[];
  v_runs text;`;

/** The order of the lanes as they are asked, and within them: a join by a hash may find the runs in any. */
const IN_ORDER = 'order by l.n, l.ord';

/** Which of the runs that were found a claim takes. */
interface Taken {
  /** A column of each run that it needs. */
  readonly column: string;
  readonly isCut: string;
  readonly where: string;
}

/** All of them; none where that would be more than one reply carries. */
const ALL: Taken = {
  column: `${sizeOf('r')} as size`,
  isCut: `sum(size) > ${MAX_BATCH_BYTES}`,
  where: 'not (select is_cut from seen)',
};

/** The first ones, as many as one reply carries: the window over the runs is a twentieth of the work of an exchange. */
const FIRST: Taken = {
  column: `coalesce(sum(${sizeOf('r')}) over (${IN_ORDER} rows between unbounded preceding and 1 preceding), 0) as before`,
  isCut: `max(before) >= ${MAX_BATCH_BYTES}`,
  where: `before < ${MAX_BATCH_BYTES}`,
};

/** The places of a lane in a range of its order. The outer select is for the lock, which a union does not take. */
const places = (range: string): string => `
            select * from (
              select ctid as ready_at, ord, id, key, row_at from ready where lane = asked.lane and ${range}
              order by ord limit least(asked.most, p_limit) for update skip locked) places`;

/** From which lanes runs may start where the claim has seen no hold of any: to ask for each of them is a twentieth of an exchange. */
const NONE_IS_HELD = `not ${IS_ANY_HELD}`;

/** The same where it has seen some. */
const EACH_IS_OPEN = isOpen('asked.lane', 'v_now');

/** The next places of the lanes. By two ranges: one would begin before all the deleted rows between them. */
const nextPlaces = (isLaneOpen: string): string => `
        select asked.n, waiting.*
        from ${unnestNumbered('asked', { lane: 'p_lanes', most: 'p_lane_limits', low: 'p_low_seqs' })},
          lateral (${places(IS_RELEASED)}
            union all${places(isBeyond('asked.low'))}
            limit least(asked.most, p_limit)) waiting
        where ${isLaneOpen}
        limit p_limit`;

/** Where the runs of these places are read. */
interface Runs {
  readonly next: string;
  readonly runs: string;
}

const ALL_AT_ONCE: Runs = {
  next: 'next',
  runs: '(select ctid, * from run where ctid = any (array (select row_at from next)))',
};

/** The runs of the next places, and whether each of them is plain. */
export const look = ({ next, runs }: Runs, columns: string): string => `
      select l.n, l.ready_at, l.ord, l.id, (l.key is null and r.epoch >= 0 and r.epoch < ${LAST_EPOCH} and ${isOneLine('l.id')}
          and (r.record is null or r.record <> '' and ${isOneLine('r.record')})
          and (r.extras is null or ${isOneLine('r.extras')})) is true as is_plain,
        ${columns}
      from ${next} l left join ${runs} r on ${isAt('r', 'l.row_at', 'l.id')}`;

export const STORED = 'insert into claim (worker, request, at, until, ids, ords, lanes)';

const claimLines = (isLaneOpen: string, { column, isCut, where }: Taken): string => `
    with next as materialized (${nextPlaces(isLaneOpen)}
    ), found as materialized (${look(
      ALL_AT_ONCE,
      `r.ctid as row_at, r.epoch, r.created_at, r.submitted_at, r.run_at, r.record, r.extras, ${payloadLine('r')} as line, ${column}`,
    )}
      ${IN_ORDER}
    ), seen as (
      select bool_and(is_plain) as is_plain, coalesce(${isCut}, false) as is_cut from found
    ), fitting as not materialized (
      select * from found where ${where} and (select is_plain from seen)
    ), taken as (
      -- The aggregates read the runs in the order in which they were found.
      select count(*) as count, array_agg(id) as ids, array_agg(ord) as ords,
        case when min(n) = max(n) then p_lanes[min(n):min(n)]
          else array (select p_lanes[one.n] from (select distinct n from fitting) one) end as lanes,
        array_agg(id) filter (where line = '') as apart,
        ${linesOf('fitting')} as lines
      from fitting
    ), moved as (
      delete from ready where ctid = any (array (select ready_at from fitting))
    ), stored as (
      ${STORED}
      select p_worker, p_request, v_now, v_now + p_lease_ms, ids, ords, lanes from taken where count > 0
    ), dropped as (
      ${END_CLAIMS}
    )
    select seen.is_plain, seen.is_cut, case when taken.count > 0 then taken.lines end, taken.apart
    into v_is_plain, v_is_cut, v_lines, v_apart from seen, taken;
`;

/** The reply about a run by itself. */
export const RUN: string = `${payloadLine('r')} = '' as is_apart, ${RUN_LINES} as lines`;

/** Subqueries that claim, and what is selected of them: see {@link INTO_FEW}. */
interface Claiming {
  /** @param next - the next places, as a subquery. @param more - further columns of it */
  readonly found: (next: string, more?: readonly string[]) => string;
  readonly selected: string;
}

/** What a claim of few runs selects. */
export const INTO_FEW = 'v_is_plain, v_apart, v_lines, v_runs';

/** The same for a claim of one run, without what several need: half of the time of an exchange was that of starting it. */
export const ONE: Claiming = {
  found: (
    next,
    more = [],
  ) => `found as materialized (${look({ next, runs: 'run' }, [RUN, ...more.map((one) => `l.${one}`)].join(', '))}
    ), moved as (
      delete from ready where ctid = (select ready_at from found where is_plain)
    ), stored as (
      ${STORED}
      select p_worker, p_request, v_now, v_now + p_lease_ms, array[id], array[ord], p_lanes[n:n] from found where is_plain
    ), dropped as (
      ${END_CLAIMS}
    )`,
  selected: `case when ready_at is not null then is_plain end, case when is_plain and is_apart then array[id] end,
          case when is_plain then array[lines] end, case when is_plain then ',"runs":1' end`,
};

const claimLine = (isLaneOpen: string): string => `
    with ${ONE.found(`(${nextPlaces(isLaneOpen)}
      )`)}
    select ${ONE.selected} into ${INTO_FEW} from found;
`;

const claimPlain = (isLaneOpen: string): string => `
      if p_limit = 1 then${claimLine(isLaneOpen)}
      else${byHash(`${claimLines(isLaneOpen, ALL)}
        if v_is_plain and v_is_cut then${claimLines(isLaneOpen, FIRST)}
        end if;`)}
      end if;`;

/**
 * Starts the next runs of all lanes in one statement, in the order asked, as long as it sees only plain ones: without a
 * concurrency key, readable, where their lane says they are, and with ids and records of one line. Else it starts none, and
 * `claim_runs` has to.
 *
 * 1. A lane is read from `p_low_seqs` on; released runs, which have an order below zero, are always read.
 * 2. It does not write into the rows of the runs: see `isClaimed`.
 * 3. The same statement stores the claim, for a worker that repeats the request and for the search of expired leases.
 * 4. `v_apart` has the ids of runs whose payloads are rows of their own.
 */
export const CLAIM_LINES: string = `
      if v_is_any_held then${claimPlain(EACH_IS_OPEN)}
      else${claimPlain(NONE_IS_HELD)}
      end if;
`;
