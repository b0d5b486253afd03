/**
 * Starts what is next in the lanes, in the order asked. A lane is looked at from \`p_lows\` on, below which the caller
 * has lately found nothing: otherwise a claim would walk over every row that an old snapshot keeps from being removed.
 * Runs that were released stand below zero and are always looked for.
 */
export const CLAIM = `
create function claim_runs(
  p_limit bigint, p_lanes text[], p_limits bigint[], p_lows bigint[], p_low_due bigint, p_now bigint, p_until bigint,
  out o_ids text[], out o_ords bigint[], out o_claimed text[], out o_next_due bigint
) language plpgsql as $$
declare
  v_left bigint := p_limit;
  v_room bigint;
  v_after bigint;
  v_due bigint;
  v_next record;
  v_keyed record;
begin
  for v_lane in 1 .. coalesce(cardinality(p_lanes), 0) loop
    v_room := least(p_limits[v_lane], v_left);
    select run_at into v_due from scheduled
    where lane = p_lanes[v_lane] and run_at >= p_low_due order by run_at limit 1;
    if v_due <= p_now then
      perform promote_due(p_lanes[v_lane], p_low_due, greatest(v_room, 1000)::integer, p_now);
      select run_at into v_due from scheduled
      where lane = p_lanes[v_lane] and run_at >= p_low_due order by run_at limit 1;
    end if;
    o_next_due := least(o_next_due, v_due);
    v_after := p_lows[v_lane];
    if v_after >= 0 and exists (select from ready where lane = p_lanes[v_lane] and ord < 0) then
      v_after := -9223372036854775808;
    end if;
    while v_room > 0 loop
      select * into v_next from claim_next(p_lanes[v_lane], v_after, v_room, p_now, p_until);
      exit when v_next.o_seen = 0;
      if v_next.o_claimed is not null then
        o_ids := o_ids || v_next.o_ids;
        o_ords := o_ords || v_next.o_ords;
        o_claimed := o_claimed || v_next.o_claimed;
        v_left := v_left - (v_next.o_seen - v_next.o_keyed);
      end if;
      exit when v_next.o_seen < v_room and v_next.o_keyed = 0;
      v_room := v_room - (v_next.o_seen - v_next.o_keyed);
      if v_next.o_keyed > 0 then
        select * into v_keyed from claim_keyed(
          p_lanes[v_lane], v_after, v_next.o_last, v_next.o_keyed, p_now, p_until);
        o_ids := o_ids || v_keyed.o_ids;
        o_ords := o_ords || v_keyed.o_ords;
        o_claimed := o_claimed || v_keyed.o_claimed;
        v_left := v_left - coalesce(cardinality(v_keyed.o_ids), 0);
        v_room := v_room - coalesce(cardinality(v_keyed.o_ids), 0);
        if v_keyed.o_is_busy then
          o_next_due := least(o_next_due, p_now + 5);
        end if;
      end if;
      v_after := v_next.o_last;
    end loop;
  end loop;
end
$$;
`;

/**
 * Settles, then claims, in one call: one round trip on any client and one commit. A claim that was answered before is
 * given its answer again; one that is sent again while it is being answered waits for that.
 */
export const EXCHANGE = `
create function exchange(
  p_ids text[], p_epochs integer[], p_places bigint[], p_moves text, p_if_expired boolean, p_starts bigint[], p_ats bigint[],
  p_errors text[], p_results text[], p_records text, p_ready text[], p_later text[], p_notify boolean,
  p_worker text, p_request text, p_forget text[], p_over text[],
  p_limit bigint, p_lanes text[], p_limits bigint[], p_lows bigint[], p_low_due bigint, p_lease bigint,
  p_keep bigint, p_trimmed bigint
) returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_answers text := '';
  v_ids text[];
  v_ords bigint[];
  v_started text[];
  v_claimed text;
  v_next_due bigint;
  v_trimmed bigint;
  v_lanes text[];
begin
  if cardinality(p_ids) > 0 then
    select o_answers, o_lanes into v_answers, v_lanes
    from settle_runs(p_ids, p_epochs, p_places, p_moves, p_if_expired, p_starts, p_ats, p_errors, p_results, p_records, v_now);
    if p_notify and (p_ready is not null or p_later is not null or v_lanes is not null) then
      perform tell(p_ready || v_lanes, p_later);
    end if;
  end if;
  if p_worker is not null then
    perform need_read_committed('a claim');
    perform pg_advisory_xact_lock({lock}, hashtext(concat(p_worker, ' ', p_request)));
    select claimed into v_claimed from claim where worker = p_worker and request = p_request;
    select o_ids, o_ords, o_claimed, o_next_due into v_ids, v_ords, v_started, v_next_due
    from claim_runs(case when v_claimed is null then p_limit else 0 end,
      p_lanes, p_limits, p_lows, p_low_due, v_now, v_now + p_lease);
    if v_started is not null then
      v_claimed := '[' || array_to_string(v_started, ',') || ']';
      perform remember_claim(p_worker, p_request, v_now, v_now + p_lease, v_ids, v_ords, v_claimed);
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
    v_trimmed := trim_finished(p_keep, p_trimmed);
    if p_trimmed = 0 then
      perform tidy(v_now);
    end if;
  end if;
  return concat('{"now":', v_now, ',"settled":"', v_answers, '","lanes":', coalesce(to_json(v_lanes)::text, '[]'),
    ',"claimed":', coalesce(v_claimed, '[]'), ',"due":', coalesce(v_next_due::text, 'null'),
    ',"trimmed":', coalesce(v_trimmed::text, 'null'), '}');
end
$$;
`;
