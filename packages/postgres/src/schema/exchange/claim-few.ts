import { MAX_BATCH_BYTES } from '@retry/core/broker/kit';
import { sizeOf } from '../fragments.ts';
import { answer } from '../letters.ts';
import { IS_ANY_HELD } from '../operators/hold.ts';
import { END_CLAIMS, INTO_FEW, look, ONE, RUN, STORED } from './claim-lines.ts';
import { hasReleased, isBeyond } from './lane-order.ts';
import { IS_REPEATED, nextDue } from './look.ts';
import { COMPLETED_ONE, SEEM_COMPLETED } from './settle.ts';

/** The most runs that a claim asks for to be made like this: of more, a row of the reply for each takes longer than one for each column. */
const FEW = 20;

/** Null where nothing below was done, and false where it has claimed nothing because of what it saw. */
export const CLAIM_FEW_VARIABLES = `
  v_is_clear boolean;`;

/** What is settled, if anything, and the condition that it holds. */
interface Settling {
  readonly found: string;
  readonly holds: string;
  readonly selected: string;
  readonly into: string;
}

const NOTHING: Settling = { found: '', holds: '', selected: '', into: '' };

const COMPLETED: Settling = {
  found: `${COMPLETED_ONE}, `,
  holds: ' and exists (select from settled)',
  selected: `(select array[n] from settled), case when is_clear then ${answer('settle', 'ok')} end, `,
  into: 'v_settled, v_answers, ',
};

const LANE = 'p_lanes[1]';
const MOST = 'least(p_limit, p_lane_limits[1])';

/** What is seen of the lane. By subqueries of one row, which `offset` keeps from being made where they are used. */
const FACTS = ['due', 'is_repeated', 'is_any_held', 'is_clear'] as const;
const facts = (holds: string): string => `
            select *, not is_repeated and not is_any_held and (due > v_now) is not false
              and not ${hasReleased(LANE)}${holds} as is_clear
            from (
              select ${nextDue(LANE, 'p_low_run_ats[1]')} as due,
                ${IS_REPEATED} as is_repeated, ${IS_ANY_HELD} as is_any_held offset 0) looked offset 0`;

/** The next places, with what was seen: of no lane where none may be taken. */
const next = (holds: string): string => `(
          select * from (${facts(holds)}
          ) facts left join lateral (
            select 1::bigint as n, ctid as ready_at, ord, id, key, row_at from ready
            where lane = case when is_clear then ${LANE} end and ${isBeyond('p_low_seqs[1]')}
            order by ord limit ${MOST} for update skip locked
          ) places on true)`;

const SEEN = 'array[due], due, is_repeated, is_any_held, is_clear';
const INTO_SEEN = 'v_dues, v_due, v_is_repeated, v_is_any_held, v_is_clear';

const claimOne = ({ found, holds, selected, into }: Settling): string => `
        with ${found}${ONE.found(next(holds), FACTS)}
        select ${selected}${SEEN}, ${ONE.selected} into ${into}${INTO_SEEN}, ${INTO_FEW} from found;`;

const claimFew = ({ found, holds, selected, into }: Settling): string => `
        with ${found}taken as materialized (
          select min(due) as due, bool_or(is_repeated) as is_repeated, bool_or(is_any_held) as is_any_held,
            bool_and(is_clear) and coalesce(sum(size), 0) <= ${MAX_BATCH_BYTES} as is_clear, count(ready_at) > 0 as is_any,
            bool_and(is_plain) and sum(size) <= ${MAX_BATCH_BYTES} as is_plain, array_agg(ready_at) as ready_ats,
            array_agg(id) as ids, array_agg(ord) as ords, array_agg(id) filter (where is_apart) as apart, array_agg(lines) as lines
          from (${look({ next: next(holds), runs: 'run' }, [RUN, `${sizeOf('r')} as size`, ...FACTS].join(', '))}) found
        ), fitting as not materialized (
          select unnest(ready_ats) as ready_at from taken where is_plain
        ), moved as (
          delete from ready where ctid = any (array (select ready_at from fitting))
        ), stored as (
          ${STORED} select p_worker, p_request, v_now, v_now + p_lease_ms, ids, ords, p_lanes from taken where is_plain
        ), dropped as (
          ${END_CLAIMS}
        )
        select ${selected}${SEEN}, case when is_any then is_plain end, apart, case when is_plain then lines end,
          case when is_plain then ',"runs":' || cardinality(ids) end
        into ${into}${INTO_SEEN}, ${INTO_FEW} from taken;`;

const claim = (settling: Settling): string => `
      if p_limit = 1 then${claimOne(settling)}
      else${claimFew(settling)}
      end if;`;

const ARE_FEW = `p_limit between 1 and ${FEW} and cardinality(p_lanes) = 1 and p_lane_limits[1] > 0 and p_task_limits is null`;

/**
 * Looks, and claims few runs of a single lane, all in one statement: most of the time of such an exchange is that of starting
 * statements, by the number of their nodes. It claims nothing where lanes are on hold, something is due or was released, the request was
 * answered before, or the runs are more than one reply carries; what is left to do then, the usual statements do. The aggregates read
 * the runs in the order of the lane.
 */
export const CLAIM_FEW: string = `
    if v_is_clear is null then
      if ${ARE_FEW} then${claim(NOTHING)}
      end if;
    end if;`;

/** Settles a run that completed in the same statement. It claims nothing if that did not hold, or was not where its claim saw it. */
export const SETTLE_ONE_AND_CLAIM_FEW: string = `
    if cardinality(p_ids) = 1 then
      if ${ARE_FEW} and ${SEEM_COMPLETED} then
        v_end := nextval('end_order');${claim(COMPLETED)}
      end if;
    end if;`;
