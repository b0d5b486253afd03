import { UNREADABLE } from '../record/unreadable.ts';
import { hasId, LAST_EPOCH } from './find-by-id.ts';

/**
 * Sets runs aside that stand in a lane but are not there, or whose epoch is none that can be counted on from: dead letters
 * with an error of their own, whatever their rows said before.
 */
export const SET_ASIDE: string = `
create function set_aside(p_lane text, p_ids text[], p_now bigint) returns void language sql as $$
  insert into run (id, state, epoch, ord, lane, payload, submitted_at, run_at, ended_at, is_dead, error_name, record)
  select id, 'f', 1, nextval('end_order'), p_lane, '', p_now, p_now, p_now, true, '${UNREADABLE}', json_build_object(
    'settledBy', '1:fail', 'failures', 1, 'firstStartedAt', p_now, 'heartbeatAt', p_now, 'endedAt', p_now, 'errors',
    json_build_array(json_build_object('epoch', 1, 'at', p_now, 'name', '${UNREADABLE}', 'message',
      'the run stands in its lane, but its row is gone, or has an epoch that cannot be counted on from')))::text
  from unnest(p_ids) as wrong (id)
  on conflict (hash, id) do update set state = excluded.state, epoch = excluded.epoch, ord = excluded.ord,
    ended_at = excluded.ended_at, is_dead = true, holds_key = false, wants_cancel = false,
    error_name = excluded.error_name, record = excluded.record
$$;
`;

/** Moves due runs of a lane from the schedule to its back, earliest due first. */
export const PROMOTE: string = `
create function promote_due(p_lane text, p_low bigint, p_limit integer, p_now bigint) returns void
language plpgsql as $$
declare
  v_missing text[];
begin
  with due as (
    delete from scheduled where ctid = any (array (
      select ctid from scheduled where lane = p_lane and run_at >= p_low and run_at <= p_now
      order by run_at, ord limit p_limit for update skip locked))
    returning run_at, ord, id
  ), next as materialized (
    select id, nextval('back_order') as ord from (select * from due order by run_at, ord) due
  ), moved as (
    update run r set state = 'w', ord = next.ord, submitted_at = p_now
    from next where ${hasId('r', 'next.id')}
    returning r.lane, r.ord, r.id, r.key
  ), placed as (
    insert into ready (lane, ord, id, key) select p_lane, ord, id, key from moved
  )
  select array_agg(id) into v_missing from next
  where (select count(*) from moved) < (select count(*) from next) and id not in (select id from moved);
  if v_missing is not null then
    perform set_aside(p_lane, v_missing, p_now);
  end if;
end
$$;
`;

/**
 * Starts the next runs of a lane that have no concurrency key, as many as fit into one reply, and says how far it looked.
 * Their rows stay as they are: see `isClaimed`.
 */
export const CLAIM_NEXT: string = `
create function claim_next(
  p_lane text, p_after bigint, p_limit bigint, p_bytes bigint, p_now bigint, p_until bigint,
  out o_seen bigint, out o_last bigint, out o_keyed bigint, out o_bytes bigint,
  out o_ids text[], out o_ords bigint[], out o_wrong text[], out o_claimed text
) language plpgsql as $$
begin
  with next as materialized (
    select ctid as place, ord, id, key from ready
    where lane = p_lane and ord > p_after order by ord limit p_limit for update skip locked
  ), found as (
    select n.place, n.ord, n.id, n.key, r.epoch, r.payload, r.submitted_at, r.run_at, r.record,
      n.key is null and r.epoch >= 0 and r.epoch < ${LAST_EPOCH} as is_right,
      256 + coalesce(octet_length(r.payload) + coalesce(octet_length(r.record), 0), 0) as size
    from next n left join run r on n.key is null and ${hasId('r', 'n.id')}
  ), fitting as materialized (
    -- They are read below in the order in which they are written here.
    select * from (
      select *, sum(size) over (order by ord rows unbounded preceding) as bytes from found) found
    where bytes - size < p_bytes
  ), moved as (
    delete from ready where ctid = any (array (select place from fitting where key is null))
  )
  select
    (select count(*) from fitting), (select max(ord) from fitting), (select count(key) from fitting),
    (select coalesce(max(bytes), 0) from fitting)::bigint,
    (select array_agg(id) from fitting where key is null and is_right is not true), array_agg(id), array_agg(ord),
    case when count(*) > 0 then concat('{"lane":', to_json(p_lane), ',"at":', p_now, ',"until":', p_until, ',"ids":', json_agg(id),
      ',"ords":', json_agg(ord), ',"epochs":', json_agg(epoch + 1), ',"payloads":', json_agg(payload),
      ',"submitted":', json_agg(submitted_at), ',"due":', json_agg(run_at), ',"records":', json_agg(record), '}') end
  into o_seen, o_last, o_keyed, o_bytes, o_wrong, o_ids, o_ords, o_claimed
  from fitting where is_right;
end
$$;
`;

/**
 * Starts, parks or hands out over the limit the runs with a key among those that a claim has looked at, one by one in
 * their order, and no more than it saw: others may stand there by now. How many hold a key is counted among the started
 * runs themselves, under a lock of the key, so that there is no counter to go wrong. A key that somebody else is claiming
 * or freeing at this moment is left for later.
 */
export const CLAIM_KEYED: string = `
create function claim_keyed(
  p_lane text, p_after bigint, p_last bigint, p_limit bigint, p_bytes bigint, p_now bigint, p_until bigint,
  out o_ids text[], out o_ords bigint[], out o_claimed text[], out o_is_busy boolean, out o_bytes bigint
) language plpgsql as $$
declare
  v_next record;
  v_run run;
  v_held bigint;
begin
  o_is_busy := false;
  o_bytes := 0;
  for v_next in
    select * from ready where lane = p_lane and ord > p_after and ord <= p_last and key is not null
    order by ord limit p_limit for update skip locked
  loop
    exit when o_bytes >= p_bytes;
    if not pg_try_advisory_xact_lock({lock}, hashtext(v_next.key)) then
      o_is_busy := true;
      continue;
    end if;
    delete from ready where lane = v_next.lane and ord = v_next.ord;
    select * into v_run from run where ${hasId('run', 'v_next.id')};
    if v_run.epoch is null or v_run.epoch < 0 or v_run.epoch >= ${LAST_EPOCH} or v_run.key_limit is null then
      perform set_aside(p_lane, array[v_next.id], p_now);
      continue;
    end if;
    select count(*) into v_held from run where key = v_next.key and holds_key;
    if v_run.key_waits and v_held >= v_run.key_limit then
      insert into parked values (v_run.key, v_run.lane, v_run.key_limit, v_run.ord, v_run.id);
      continue;
    end if;
    update run set state = 'r', epoch = epoch + 1, claimed_at = p_now, heartbeat_at = p_now, lease_until = p_until,
      holds_key = v_held < key_limit
    where ${hasId('run', 'v_run.id')};
    o_bytes := o_bytes + 256 + octet_length(v_run.payload) + coalesce(octet_length(v_run.record), 0);
    o_ids := o_ids || v_run.id;
    o_ords := o_ords || v_run.ord;
    o_claimed := o_claimed || json_build_object(
      'lane', p_lane, 'at', p_now, 'until', p_until,
      'ids', json_build_array(v_run.id), 'ords', json_build_array(v_run.ord),
      'epochs', json_build_array(v_run.epoch + 1), 'payloads', json_build_array(v_run.payload),
      'submitted', json_build_array(v_run.submitted_at), 'due', json_build_array(v_run.run_at),
      'records', json_build_array(v_run.record),
      'concurrency', json_build_object('key', v_run.key, 'limit', v_run.key_limit,
        'whenFull', case when v_run.key_waits then 'wait' else 'claim' end),
      'isOverLimit', v_held >= v_run.key_limit)::text;
  end loop;
end
$$;
`;
