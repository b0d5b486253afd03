import { settledBy, UNREADABLE_GROUP } from '@retry/core/broker/kit';
import { UNREADABLE_RUN } from '../../errors.ts';
import { hasId, insertInto, isAt, sizeOf, unnestAs } from '../fragments.ts';
import { dead, state } from '../letters.ts';
import { isOpen } from '../operators/hold.ts';
import { CLAIMED_TEXT, claimedOne, concurrencyOf } from '../rows.ts';
import { call, head } from '../signatures.ts';
import { slotsTaken } from './keys.ts';

/** The last epoch that can be incremented: larger integers are not exact in JavaScript. */
export const LAST_EPOCH: number = Number.MAX_SAFE_INTEGER - 1;

/**
 * Fails runs that are in a lane but have no row, or whose epoch cannot be incremented: dead letters with an error of their
 * own, which replaces what their rows contain.
 */
export const FAIL_UNREADABLE: string = `
create function fail_unreadable(p_lane text, p_ids text[], p_now bigint) returns void language plpgsql as $$
declare
  v_group text := (admit_groups(array[p_lane], array['${UNREADABLE_GROUP.id}']))[1];
  v_dead dead_letter[];
begin
  with failed as (
  insert into run (id, state, epoch, ord, lane, payload, submitted_at, run_at, ended_at, is_dead, error_name, error_group, spent, record)
  select id, ${dead('failed')}, 1, nextval('end_order'), p_lane, '', p_now, p_now, p_now, true, '${UNREADABLE_RUN}', v_group, 1, json_build_object(
    'settledBy', '${settledBy(1, 'fail')}', 'failures', 1, 'firstStartedAt', p_now, 'startedAt', p_now, 'heartbeatAt', p_now, 'endedAt', p_now, 'errors',
    json_build_array(json_build_object('epoch', 1, 'at', p_now, 'name', '${UNREADABLE_RUN}', 'reason', 'ended', 'message',
      'the run is in its lane, but its row is missing, or its epoch cannot be incremented')))::text
  from unnest(p_ids) as unreadable (id)
  on conflict (hash, id) do update set state = excluded.state, epoch = excluded.epoch, ord = excluded.ord,
    ended_at = excluded.ended_at, is_dead = true, holds_key = false, holds_lane = false, wants_cancel = false,
    error_name = excluded.error_name, error_group = excluded.error_group, spent = excluded.spent, record = excluded.record
  returning lane, error_group, id, spent, ended_at, ord
  )
  select array_agg((lane, error_group, '${UNREADABLE_GROUP.title}', id, spent, ended_at, ord, ord)::dead_letter) into v_dead from failed;
  perform join_groups(v_dead);
end
$$;
`;

/** Puts the runs of `next`, which are no longer in the schedule, at the back of their lane; the rows `moved` are those found. */
const moveNext = (isFound: string): string => `moved as (
    update run r set state = ${state('submitted')}, ord = next.ord, created_at = coalesce(r.created_at, r.submitted_at),
      submitted_at = p_now
    from next where ${isFound}
    returning r.lane, r.ord, r.id, r.key, r.ctid as row_at
  ), now_ready as (
    insert into ready (lane, ord, id, key, row_at) select p_lane, ord, id, key, row_at from moved
  )`;

const IS_MISSING = `(select count(*) from moved) < (select count(*) from next) and id not in (select id from moved)`;

/** The same for due runs whose rows have moved since they were scheduled: they are found by their ids. */
export const PROMOTE_MOVED: string = `
create function ${head('promote_moved')} returns void
language plpgsql as $$
declare
  v_missing text[];
begin
  with next as materialized (
    select * from ${unnestAs('next', { id: 'p_ids', ord: 'p_ords' })}
  ), ${moveNext(hasId('r', 'next.id'))}
  select array_agg(id) into v_missing from next where ${IS_MISSING};
  if v_missing is not null then
    perform fail_unreadable(p_lane, v_missing, p_now);
  end if;
end
$$;
`;

/** Moves due runs from the schedule of a lane to its back, earliest due first. */
export const PROMOTE: string = `
create function ${head('promote_due')} returns void
language plpgsql as $$
declare
  v_missing text[];
  v_ords bigint[];
begin
  with due as (
    delete from scheduled where ctid = any (array (
      select ctid from scheduled where lane = p_lane and run_at >= p_low_run_at and run_at <= p_now
      order by run_at, ord limit p_limit for update skip locked))
    returning run_at, ord, id, row_at
  ), next as materialized (
    select id, row_at, nextval('back_order') as ord from (select * from due order by run_at, ord) due
  ), ${moveNext(isAt('r', 'next.row_at', 'next.id'))}
  select array_agg(id), array_agg(ord) into v_missing, v_ords from next where ${IS_MISSING};
  if v_missing is not null then
    perform ${call('promote_moved', { lane: 'p_lane', ids: 'v_missing', ords: 'v_ords', now: 'p_now' })};
  end if;
end
$$;
`;

const IS_LANE_OPEN = isOpen('p_lane', 'p_now');

const NEXT_OUT = [
  'out o_seen bigint, out o_last bigint, out o_keyed bigint, out o_bytes bigint',
  'out o_ids text[], out o_ords bigint[], out o_unreadable text[], out o_claimed text',
].join(',\n  ');

/**
 * Starts the next runs of a lane that have no concurrency key, as many as fit into one reply, and returns how far it has read. Where the
 * claim limits the lane, every run has one.
 * It does not write into their rows: see \`isClaimed\`.
 */
export const CLAIM_NEXT: string = `
create function ${head('claim_next', NEXT_OUT)} language plpgsql as $$
begin
  with next as materialized (
    select ctid as row_at, ord, id, coalesce(key, case when p_is_limited then p_lane end) as key from ready
    where lane = p_lane and ord > p_after and ord < p_before and ${IS_LANE_OPEN}
    order by ord limit p_limit for update skip locked
  ), found as (
    select n.row_at, n.ord, n.id, n.key, r.epoch, r.payload, r.created_at, r.submitted_at, r.run_at, r.record, r.extras,
      n.key is null and r.epoch >= 0 and r.epoch < ${LAST_EPOCH} as is_readable,
      coalesce(${sizeOf('r')}, 256) as size
    from next n left join run r on n.key is null and ${hasId('r', 'n.id')}
  ), fitting as materialized (
    -- The aggregates below read them in the order in which they are written here.
    select * from (
      select *, sum(size) over (order by ord rows unbounded preceding) as bytes from found) found
    where bytes - size < p_bytes
  ), moved as (
    delete from ready where ctid = any (array (select row_at from fitting where key is null))
  )
  select
    (select count(*) from fitting), (select max(ord) from fitting), (select count(key) from fitting),
    (select coalesce(max(bytes), 0) from fitting)::bigint,
    (select array_agg(id) from fitting where key is null and is_readable is not true), array_agg(id), array_agg(ord),
    case when count(*) > 0 then ${CLAIMED_TEXT} end
  into o_seen, o_last, o_keyed, o_bytes, o_unreadable, o_ids, o_ords, o_claimed
  from fitting where is_readable;
end
$$;
`;

const KEYED_OUT = [
  'out o_ids text[], out o_ords bigint[], out o_claimed text[]',
  'out o_is_busy boolean, out o_bytes bigint, out o_is_passed_on boolean',
].join(', ');

/** Gives a run the limit that its task has in the claiming worker, unless it has a key of its own. */
const LIMIT_BY_TASK = `
    if p_task_limit is not null and coalesce(v_run.key, p_lane) = p_lane then
      v_run.key := p_lane;
      v_run.key_limit := p_task_limit;
      v_run.key_waits := p_task_waits;
    end if;`;

/** The columns that it changes. */
const LIMIT = 'key = v_run.key, key_limit = v_run.key_limit, key_waits = v_run.key_waits';

/**
 * Starts or parks the runs with a concurrency key among those that \`claim_next\` has seen, one by one in their order:
 *
 * 1. No more than it saw: others may be in the same range of the lane by now.
 * 2. The slots of a key that are taken are counted among the started runs, under a lock of the key; there is no counter
 *    that could be wrong. A key whose lock another transaction has is left for later.
 * 3. A run that has kept its slot starts with it. Where no slot is free, any other run is parked, if it is to wait for its key, or else
 *    starts over the limit and takes no slot.
 * 4. Where the claim limits the lane, a run with a key of its own also needs a slot of the lane. Where that is full, it is parked by the
 *    lane, and takes no slot of its key; once it has its turn and finds its key full, the next one gets the turn.
 */
export const CLAIM_KEYED: string = `
create function ${head('claim_keyed', KEYED_OUT)} language plpgsql as $$
declare
  v_next record;
  v_run run;
  v_before run;
  v_of_lane boolean;
  v_is_full boolean;
  v_is_lane_full boolean;
  v_waits_for_key boolean;
begin
  o_is_busy := false;
  o_is_passed_on := false;
  o_bytes := 0;
  for v_next in
    select * from ready where lane = p_lane and ord > p_after and ord <= p_last
      and (key is not null or p_task_limit is not null) and ${IS_LANE_OPEN}
    order by ord limit p_limit for update skip locked
  loop
    exit when o_bytes >= p_bytes;
    select * into v_run from run where ${hasId('run', 'v_next.id')};
    v_before := v_run;${LIMIT_BY_TASK}
    v_of_lane := p_task_limit is not null and v_run.key <> p_lane;
    if not pg_try_advisory_xact_lock({lock}, hashtext(coalesce(v_run.key, p_lane)))
      or (v_of_lane or v_next.key <> v_run.key) and not pg_try_advisory_xact_lock({lock}, hashtext(p_lane)) then
      o_is_busy := true;
      continue;
    end if;
    delete from ready where lane = v_next.lane and ord = v_next.ord;
    if v_run.epoch is null or v_run.epoch < 0 or v_run.epoch >= ${LAST_EPOCH} or v_run.key_limit is null then
      perform fail_unreadable(p_lane, array[v_next.id], p_now);
      continue;
    end if;
    v_is_full := not v_run.holds_key and ${slotsTaken('v_run.key')} >= v_run.key_limit;
    v_is_lane_full := v_of_lane and ${slotsTaken('p_lane')} >= p_task_limit;
    v_waits_for_key := v_is_full and v_run.key_waits;
    if v_is_full and not v_is_lane_full and v_next.key = p_lane and v_run.key <> p_lane and pass_on(p_lane) then
      o_is_passed_on := true;
    end if;
    if v_waits_for_key or v_is_lane_full and p_task_waits then
      ${insertInto('parked', {
        key: 'case when v_waits_for_key then v_run.key else p_lane end',
        lane: 'v_run.lane',
        key_limit: 'case when v_waits_for_key then v_run.key_limit else p_task_limit end',
        ord: 'v_run.ord',
        id: 'v_run.id',
      })};
      if v_run is distinct from v_before then
        update run set ${LIMIT} where ${hasId('run', 'v_run.id')};
      end if;
      continue;
    end if;
    update run set state = ${state('started')}, epoch = epoch + 1, claimed_at = p_now, heartbeat_at = p_now,
      lease_until = p_lease_until, holds_key = v_run.holds_key or not (v_is_full or v_is_lane_full),
      holds_lane = case when not v_is_lane_full then v_of_lane and not v_is_full end, ${LIMIT}
    where ${hasId('run', 'v_run.id')};
    -- It had the turn of its key, perhaps, and does not take it.
    if v_is_lane_full then
      perform unpark_runs(array[v_run.key]);
    end if;
    o_bytes := o_bytes + ${sizeOf('v_run')};
    o_ids := o_ids || v_run.id;
    o_ords := o_ords || v_run.ord;
    o_claimed := o_claimed || ${claimedOne('v_run', {
      lane: 'p_lane',
      at: 'p_now',
      until: 'p_lease_until',
      concurrency: concurrencyOf('v_run'),
      isOverLimit: 'v_is_full or v_is_lane_full',
    })}::text;
  end loop;
end
$$;
`;

/** One call of \`claim_next\` on the lane of the loop in \`claim_runs\`. */
export const claimNext: string = call('claim_next', {
  lane: 'p_lanes[v_lane]',
  after: 'v_after',
  before: 'v_before',
  limit: 'v_room',
  bytes: 'v_bytes',
  isLimited: 'p_task_limits[v_lane] is not null',
  now: 'p_now',
  leaseUntil: 'p_lease_until',
});

/** One call of \`claim_keyed\` on what \`claim_next\` has seen. */
export const claimKeyed: string = call('claim_keyed', {
  lane: 'p_lanes[v_lane]',
  after: 'v_after',
  last: 'v_next.o_last',
  limit: 'v_next.o_keyed',
  bytes: 'v_bytes',
  taskLimit: 'p_task_limits[v_lane]',
  taskWaits: 'p_task_waits[v_lane]',
  now: 'p_now',
  leaseUntil: 'p_lease_until',
});

/** One call of \`unpark_below\` on the lane of the loop. */
export const unparkBelow: string = call('unpark_below', {
  lane: 'p_lanes[v_lane]',
  taskLimit: 'p_task_limits[v_lane]',
  most: 'v_room',
});

/** One call of \`promote_due\` on a lane of the exchange, at least a thousand runs a time. */
export const promoteDue: string = call('promote_due', {
  lane: 'p_lanes[v_lane]',
  lowRunAt: 'p_low_run_ats[v_lane]',
  limit: 'greatest(least(p_lane_limits[v_lane], p_limit), 1000)',
  now: 'v_now',
});
