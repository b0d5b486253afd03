/** Moves due runs of a lane from the schedule to its back, earliest due first. */
export const PROMOTE = `
create function promote_due(p_lane text, p_low bigint, p_limit integer, p_now bigint) returns void
language plpgsql as $$
begin
  with due as (
    delete from scheduled where ctid = any (array (
      select ctid from scheduled where lane = p_lane and run_at >= p_low and run_at <= p_now
      order by run_at, ord limit p_limit for update skip locked))
    returning run_at, ord, id
  ), moved as (
    update run r set state = 'w', ord = next.ord, submitted_at = p_now
    from (select id, nextval('back_order') as ord from (select * from due order by run_at, ord) due) next
    where r.id = next.id
    returning r.lane, r.ord, r.id, r.key
  )
  insert into ready (lane, ord, id, key) select lane, ord, id, key from moved;
end
$$;
`;

/**
 * Starts the next runs of a lane that have no concurrency key, and says how far it looked. Their rows stay as they are:
 * see `isClaimed`.
 */
export const CLAIM_NEXT = `
create function claim_next(
  p_lane text, p_after bigint, p_limit bigint, p_now bigint, p_until bigint,
  out o_seen bigint, out o_last bigint, out o_keyed bigint, out o_ids text[], out o_ords bigint[], out o_claimed text
) language plpgsql as $$
begin
  with next as materialized (
    select ctid as place, ord, key from ready
    where lane = p_lane and ord > p_after order by ord limit p_limit for update skip locked
  ), moved as (
    delete from ready where ctid = any (array (select place from next where key is null)) returning id
  ), started as (
    select r.id, r.ord, r.epoch + 1 as epoch, r.payload, r.submitted_at, r.run_at, r.record
    from moved join run r on r.id = moved.id
  )
  select
    (select count(*) from next), (select max(ord) from next), (select count(key) from next), array_agg(id), array_agg(ord),
    case when count(*) > 0 then concat('{"lane":', to_json(p_lane), ',"at":', p_now, ',"until":', p_until, ',"ids":', json_agg(id),
      ',"ords":', json_agg(ord), ',"epochs":', json_agg(epoch), ',"payloads":', json_agg(payload),
      ',"submitted":', json_agg(submitted_at), ',"due":', json_agg(run_at),
      ',"records":[', string_agg(coalesce(record, 'null'), ','), ']}') end
  into o_seen, o_last, o_keyed, o_ids, o_ords, o_claimed
  from (select * from started order by ord) claimed;
end
$$;
`;

/**
 * Starts, parks or hands out over the limit the runs with a key among those that a claim has looked at, one by one in
 * their order, and no more than it saw: others may stand there by now. How many hold a key is counted among the started
 * runs themselves, under a lock of the key, so that there is no counter to go wrong. A key that somebody else is claiming
 * or freeing at this moment is left for later.
 */
export const CLAIM_KEYED = `
create function claim_keyed(
  p_lane text, p_after bigint, p_last bigint, p_limit bigint, p_now bigint, p_until bigint,
  out o_ids text[], out o_ords bigint[], out o_claimed text[], out o_is_busy boolean
) language plpgsql as $$
declare
  v_next record;
  v_run run;
  v_held bigint;
begin
  o_is_busy := false;
  for v_next in
    select * from ready where lane = p_lane and ord > p_after and ord <= p_last and key is not null
    order by ord limit p_limit for update skip locked
  loop
    if not pg_try_advisory_xact_lock({lock}, hashtext(v_next.key)) then
      o_is_busy := true;
      continue;
    end if;
    delete from ready where lane = v_next.lane and ord = v_next.ord;
    select * into v_run from run where id = v_next.id;
    select count(*) into v_held from run where key = v_next.key and holds_key;
    if v_run.key_waits and v_held >= v_run.key_limit then
      insert into parked values (v_run.key, v_run.lane, v_run.key_limit, v_run.ord, v_run.id);
      continue;
    end if;
    update run set state = 'r', epoch = epoch + 1, claimed_at = p_now, heartbeat_at = p_now, lease_until = p_until,
      holds_key = v_held < key_limit
    where id = v_run.id;
    o_ids := o_ids || v_run.id;
    o_ords := o_ords || v_run.ord;
    o_claimed := o_claimed || json_build_object(
      'lane', p_lane, 'at', p_now, 'until', p_until,
      'ids', json_build_array(v_run.id), 'ords', json_build_array(v_run.ord),
      'epochs', json_build_array(v_run.epoch + 1), 'payloads', json_build_array(v_run.payload),
      'submitted', json_build_array(v_run.submitted_at), 'due', json_build_array(v_run.run_at),
      'records', json_build_array(v_run.record::json),
      'concurrency', json_build_object('key', v_run.key, 'limit', v_run.key_limit,
        'whenFull', case when v_run.key_waits then 'wait' else 'claim' end),
      'isOverLimit', v_held >= v_run.key_limit)::text;
  end loop;
end
$$;
`;
