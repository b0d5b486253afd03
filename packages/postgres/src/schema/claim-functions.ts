/** Moves due runs of a lane from the schedule to its back, earliest due first. */
export const PROMOTE = `
create function promote_due(p_lane text, p_low bigint, p_limit integer, p_now bigint) returns void
language plpgsql as $$
begin
  with due as (
    delete from scheduled where ctid = any (array (
      select ctid from scheduled where lane = p_lane and run_at >= p_low and run_at <= p_now
      order by run_at, ord limit p_limit for update skip locked))
    returning *
  )
  insert into ready (lane, ord, id, epoch, submitted_at, run_at, key, key_limit, key_waits, record)
  select lane, nextval('back_order'), id, epoch, p_now, run_at, key, key_limit, key_waits, record
  from (select * from due order by run_at, ord) due;
end
$$;
`;

/** Starts the next runs of a lane that have no concurrency key, and says how far it looked. */
export const CLAIM_NEXT = `
create function claim_next(
  p_lane text, p_after bigint, p_limit bigint, p_now bigint, p_until bigint,
  out o_seen bigint, out o_last bigint, out o_keyed bigint, out o_claimed text
) language plpgsql as $$
begin
  with next as materialized (
    select ctid as place, ord, key from ready
    where lane = p_lane and ord > p_after order by ord limit p_limit for update skip locked
  ), moved as (
    delete from ready where ctid = any (array (select place from next where key is null)) returning *
  ), started as (
    insert into inflight (id, lane, epoch, claimed_at, heartbeat_at, lease_until, submitted_at, run_at, record)
    select id, lane, epoch + 1, p_now, p_now, p_until, submitted_at, run_at, record from moved
  )
  select
    (select count(*) from next), (select max(ord) from next), (select count(key) from next),
    case when count(*) > 0 then concat('{"lane":', to_json(p_lane), ',"at":', p_now, ',"until":', p_until, ',"ids":', json_agg(id),
      ',"ords":', json_agg(ord), ',"epochs":', json_agg(epoch + 1), ',"payloads":', json_agg(payload),
      ',"submitted":', json_agg(submitted_at), ',"due":', json_agg(run_at),
      ',"records":[', string_agg(coalesce(record, 'null'), ','), ']}') end
  into o_seen, o_last, o_keyed, o_claimed
  from (
    select id, ord, epoch, submitted_at, run_at, record,
      coalesce(payload, (select r.payload from run r where r.id = moved.id)) as payload
    from moved order by ord) claimed;
end
$$;
`;

/**
 * Starts, parks or hands out over the limit the runs with a key among those that a claim has looked at, one by one in
 * their order. How many hold a key is counted among the started runs themselves, under a lock of the key, so that
 * there is no counter to go wrong. A key that somebody else is claiming or freeing at this moment is left for later.
 */
export const CLAIM_KEYED = `
create function claim_keyed(
  p_lane text, p_after bigint, p_last bigint, p_now bigint, p_until bigint,
  out o_claimed text[], out o_is_busy boolean
) language plpgsql as $$
declare
  v_next record;
  v_held bigint;
  v_run text;
begin
  o_is_busy := false;
  for v_next in
    select * from ready where lane = p_lane and ord > p_after and ord <= p_last and key is not null
    order by ord for update skip locked
  loop
    if not pg_try_advisory_xact_lock({lock}, hashtext(v_next.key)) then
      o_is_busy := true;
      continue;
    end if;
    select count(*) into v_held from inflight where key = v_next.key and holds_key;
    if v_next.key_waits and v_held >= v_next.key_limit then
      with moved as (delete from ready where lane = v_next.lane and ord = v_next.ord returning *)
      insert into parked select * from moved;
      continue;
    end if;
    with moved as (
      delete from ready where lane = v_next.lane and ord = v_next.ord returning *
    ), started as (
      insert into inflight (id, lane, epoch, claimed_at, heartbeat_at, lease_until, submitted_at, run_at,
        key, key_limit, key_waits, holds_key, record)
      select id, lane, epoch + 1, p_now, p_now, p_until, submitted_at, run_at,
        key, key_limit, key_waits, v_held < key_limit, record from moved
    )
    select json_build_object(
      'lane', p_lane, 'at', p_now, 'until', p_until,
      'ids', json_build_array(m.id), 'ords', json_build_array(m.ord), 'epochs', json_build_array(m.epoch + 1),
      'payloads', json_build_array(r.payload), 'submitted', json_build_array(m.submitted_at),
      'due', json_build_array(m.run_at), 'records', json_build_array(m.record::json),
      'concurrency', json_build_object('key', m.key, 'limit', m.key_limit,
        'whenFull', case when m.key_waits then 'wait' else 'claim' end),
      'isOverLimit', v_held >= m.key_limit)
    into v_run from moved m join run r on r.id = m.id;
    o_claimed := o_claimed || v_run;
  end loop;
end
$$;
`;
