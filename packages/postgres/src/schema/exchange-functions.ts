import { MAX_BATCH_BYTES } from '@retry/core/broker';

/**
 * Starts what is next in the lanes, in the order asked. A lane is looked at from \`p_lows\` on, below which the caller
 * has lately found nothing: otherwise a claim would walk over every row that an old snapshot keeps from being removed.
 * Runs that were released stand below zero and are always looked for. The schedule is read from \`p_low_dues\` on, and
 * what is left in it is due from \`o_dues\` on, a lane each.
 */
export const CLAIM: string = `
create function claim_runs(
  p_limit bigint, p_lanes text[], p_limits bigint[], p_lows bigint[], p_low_dues bigint[], p_now bigint, p_until bigint,
  out o_ids text[], out o_ords bigint[], out o_lanes text[], out o_claimed text[], out o_dues bigint[],
  out o_busy_until bigint, out o_is_cut boolean
) language plpgsql as $$
declare
  v_left bigint := p_limit;
  v_bytes bigint := ${MAX_BATCH_BYTES};
  v_room bigint;
  v_after bigint;
  v_due bigint;
  v_next record;
  v_keyed record;
begin
  for v_lane in 1 .. coalesce(cardinality(p_lanes), 0) loop
    v_room := case when v_bytes > 0 then least(p_limits[v_lane], v_left) else 0 end;
    select run_at into v_due from scheduled
    where lane = p_lanes[v_lane] and run_at >= p_low_dues[v_lane] order by run_at limit 1;
    if v_due <= p_now then
      perform promote_due(p_lanes[v_lane], p_low_dues[v_lane], greatest(v_room, 1000)::integer, p_now);
      select run_at into v_due from scheduled
      where lane = p_lanes[v_lane] and run_at >= p_low_dues[v_lane] order by run_at limit 1;
    end if;
    o_dues := o_dues || v_due;
    v_after := p_lows[v_lane];
    if v_after >= 0 and exists (select from ready where lane = p_lanes[v_lane] and ord < 0) then
      v_after := -9223372036854775808;
    end if;
    while v_room > 0 and v_bytes > 0 loop
      select * into v_next from claim_next(p_lanes[v_lane], v_after, v_room, v_bytes, p_now, p_until);
      exit when v_next.o_seen = 0;
      v_bytes := v_bytes - v_next.o_bytes;
      if v_next.o_wrong is not null then
        perform set_aside(p_lanes[v_lane], v_next.o_wrong, p_now);
      end if;
      if v_next.o_claimed is not null then
        o_ids := o_ids || v_next.o_ids;
        o_ords := o_ords || v_next.o_ords;
        o_lanes := o_lanes || p_lanes[v_lane];
        o_claimed := o_claimed || v_next.o_claimed;
        v_left := v_left - (v_next.o_seen - v_next.o_keyed);
      end if;
      exit when v_next.o_seen < v_room and v_next.o_keyed = 0;
      v_room := v_room - (v_next.o_seen - v_next.o_keyed);
      if v_next.o_keyed > 0 then
        select * into v_keyed from claim_keyed(
          p_lanes[v_lane], v_after, v_next.o_last, v_next.o_keyed, v_bytes, p_now, p_until);
        v_bytes := v_bytes - v_keyed.o_bytes;
        o_ids := o_ids || v_keyed.o_ids;
        o_ords := o_ords || v_keyed.o_ords;
        o_lanes := o_lanes || case when v_keyed.o_ids is not null then p_lanes[v_lane] end;
        o_claimed := o_claimed || v_keyed.o_claimed;
        v_left := v_left - coalesce(cardinality(v_keyed.o_ids), 0);
        v_room := v_room - coalesce(cardinality(v_keyed.o_ids), 0);
        if v_keyed.o_is_busy then
          o_busy_until := p_now + 5;
        end if;
      end if;
      v_after := v_next.o_last;
    end loop;
  end loop;
  o_is_cut := v_bytes <= 0;
end
$$;
`;

/**
 * Settles, then claims, in one call: one round trip on any client and one commit. A claim that was answered before is
 * given its answer again; one that is sent again while it is being answered waits for that.
 */
export const EXCHANGE: string = `
create function exchange(
  p_ids text[], p_epochs bigint[], p_places bigint[], p_moves text, p_if_expired boolean, p_starts bigint[], p_ats bigint[],
  p_delays bigint[], p_errors text[], p_results text[], p_records text, p_notify boolean,
  p_worker text, p_request text, p_forget text[], p_over text[],
  p_limit bigint, p_lanes text[], p_limits bigint[], p_lows bigint[], p_low_dues bigint[], p_lease bigint,
  p_keep bigint, p_trimmed bigint, p_keep_keys bigint
) returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_answers text := '';
  v_lanes text[];
  v_ready text[];
  v_later text[];
  v_results boolean := false;
  v_got record;
  v_claimed text;
  v_claim text := '';
  v_trimmed bigint;
  v_tidied record;
  v_tidy text := '';
begin
  if cardinality(p_ids) > 0 then
    select o_answers, o_lanes, o_ready, o_later, o_results into v_answers, v_lanes, v_ready, v_later, v_results
    from settle_runs(p_ids, p_epochs, p_places, p_moves, p_if_expired, p_starts, p_ats, p_delays,
      p_errors, p_results, p_records, v_now);
    v_ready := v_ready || v_lanes;
    if p_notify and (v_results or v_ready is not null or v_later is not null) then
      perform tell(v_ready, v_later, v_results);
    end if;
  end if;
  if p_worker is not null then
    perform need_read_committed('a claim');
    perform pg_advisory_xact_lock({lock}, hashtext(concat(p_worker, ' ', p_request)));
    select claimed into v_claimed from claim where worker = p_worker and request = p_request;
    select * into v_got from claim_runs(case when v_claimed is null then p_limit else 0 end,
      p_lanes, p_limits, p_lows, p_low_dues, v_now, v_now + p_lease);
    v_claim := concat(',"dues":', coalesce(to_json(v_got.o_dues)::text, '[]'), ',"busyUntil":', coalesce(v_got.o_busy_until::text, 'null'),
      ',"isCut":', to_json(v_got.o_is_cut));
    if v_got.o_claimed is not null then
      v_claimed := '[' || array_to_string(v_got.o_claimed, ',') || ']';
      perform remember_claim(p_worker, p_request, v_now, v_now + p_lease, v_got.o_ids, v_got.o_ords, v_claimed, v_got.o_lanes);
      if p_over is not null then
        delete from claim where ctid = any (array (
          select ctid from claim where worker = p_worker and request = any (p_over) for update skip locked));
      end if;
      if p_forget is not null then
        update claim set claimed = null where ctid = any (array (
          select ctid from claim where worker = p_worker and request = any (p_forget) for update skip locked));
      end if;
    end if;
  end if;
  if p_keep is not null then
    v_trimmed := trim_finished(p_keep, p_trimmed, p_keep_keys, v_now);
  end if;
  if p_trimmed = 0 then
    select * into v_tidied from tidy(v_now);
    v_tidy := concat(',"released":', v_tidied.o_released, ',"isTidy":', to_json(v_tidied.o_is_all));
  end if;
  return concat('{"now":', v_now, ',"settled":"', v_answers, '","lanes":', coalesce(to_json(v_lanes)::text, '[]'),
    ',"ready":', coalesce(to_json(v_ready)::text, '[]'), ',"later":', coalesce(to_json(v_later)::text, '[]'),
    ',"results":', to_json(v_results), ',"claimed":', coalesce(v_claimed, '[]'), v_claim,
    ',"trimmed":', coalesce(v_trimmed::text, 'null'), v_tidy, '}');
end
$$;
`;
