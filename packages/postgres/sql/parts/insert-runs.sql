-- Inserts runs and puts them in their lanes or the schedule.
--
-- one    the only one, which is due now: to read it so takes a third of the time
-- again  known ids are left out; without this, one of them fails the statement
-- fair   some may have fairness keys: those that are due are left to `enter_by_turn`
with fresh as (
  insert into run (id, state, epoch, ord, lane, payload, submitted_at, run_at,
    key, key_limit, key_waits, keeps_key, is_keyed, keep_ms, extras
    -- @if fair
    , fairness_key
    -- @end
    )
  select id, case when due > v_now then State.scheduled else State.submitted end::"char", 0,
    nextval('back_order'), lane, payload, v_now, nullif(due, v_now),
    key, key_limit, key_waits, keeps_key, coalesce(is_keyed, false), keep_ms, extras
    -- @if fair
    , fairness_key
    -- @end
  from (
    select *, least(greatest(v_now, run_at, v_now + delay), Limit.instantAt) as due
    from
      -- @if one
      (select p_ids[1] as id, p_lanes[1] as lane, p_payloads[1] as payload, p_run_ats[1] as run_at,
        p_delays_ms[1] as delay, p_keys[1] as key, p_key_limits[1] as key_limit,
        p_key_waits[1] as key_waits, p_keeps_keys[1] as keeps_key, p_keyed[1] as is_keyed,
        p_keep_results_ms[1] as keep_ms, p_extras[1] as extras) input
      -- @else
      unnest(p_ids, p_lanes, p_payloads, p_run_ats, p_delays_ms, p_keys, p_key_limits, p_key_waits,
        p_keeps_keys, p_keyed, p_keep_results_ms, p_extras
        -- @if fair
        , p_fairness_keys
        -- @end
        )
        as input (id, lane, payload, run_at, delay, key, key_limit, key_waits,
        keeps_key, is_keyed, keep_ms, extras
        -- @if fair
        , fairness_key
        -- @end
        )
      -- @end
    ) input
  where not exists (select from kept_key)
    or not exists (select from kept_key k where hasId(k, input.id) and k.until > v_now)
  -- @if again
  on conflict do nothing
  -- @end
  returning id, state, ord, lane, run_at, key, ctid as row_at
    -- @if fair
    , fairness_key, locationOf(run) as place
    -- @end
), now_ready as (
  insert into ready (lane, ord, id, key, row_at)
  select lane, ord, id, key, row_at from fresh where state = State.submitted
    -- @if fair
    and fairness_key is null
    -- @end
-- @if one
-- @else
), for_later as (
  insert into scheduled (lane, run_at, ord, id, row_at)
  select lane, run_at, ord, id, row_at from fresh where state = State.scheduled
-- @end
), counted as (
  insert into tally (submitted, forgotten) select count(*), 0 from fresh having count(*) > 0
)
-- @if one
select array_agg(id), p_notify and isAwaited(v_now) into v_created, v_is_awaited from fresh;
-- @else
select array_agg(id)
  -- @if fair
  , array_agg(place) filter (where state = State.submitted and fairness_key is not null)
  -- @end
into v_created
  -- @if fair
  , v_fair
  -- @end
from fresh;
-- @end
