-- The counts of the limit p_key: those of the window that was used last are columns, and `others`
-- has those of other windows, the last used ones first. The twin of `reserveStarts` and
-- `correctStarts` in the kit of brokers.
--
-- Returns for each window its place, its width, its latest instant, and starts by bucket.
-- Locks nothing.
create function windows_of(
  p_key text, out place bigint, out window_ms bigint, out latest_at bigint, out buckets bigint[],
  out starts bigint[]
) returns setof record language sql as $$
  select 0, window_ms, latest_at, buckets, starts from start_limit
  where key = p_key and latest_at is not null
  union all
  select other.place, other.window_ms, other.latest_at, other.buckets, other.starts
  from start_limit, lateral rows from (jsonb_to_recordset(others)
    as (window_ms bigint, latest_at bigint, buckets bigint[], starts bigint[]))
    with ordinality as other (window_ms, latest_at, buckets, starts, place)
  where key = p_key
$$;
-- Counts p_starts of the limit p_key that were granted at p_now by the window p_window_ms in all
-- others; while the clock is back, as of the latest instant.
--
-- Returns these windows, and when they may be forgotten.
-- Locks nothing.
create function count_in_others(
  p_key text, p_window_ms bigint, p_starts bigint, p_now bigint, out others jsonb,
  out forget_at bigint
) language sql as $$
  select jsonb_agg(jsonb_build_object(
      'window_ms', window_ms, 'latest_at', at, 'buckets', counted.buckets,
      'starts', counted.starts) order by place),
    max(at + 2 * window_ms + width)
  from (
    select *, bucketMs(window_ms) as width,
      case when p_now < latest_at - window_ms then p_now else greatest(p_now, latest_at) end as at
    from windows_of(p_key => p_key)
    where window_ms <> p_window_ms order by place limit Limit.otherWindows) other,
  lateral (
    select array_agg(bucket order by bucket) as buckets, array_agg(starts order by bucket) as starts
    from (
      select bucket, sum(starts)::bigint as starts
      from (
        select bucket, starts from unnest(other.buckets, other.starts) as kept (bucket, starts)
        where at >= latest_at and bucket >= (at - window_ms + 1) / width
        union all
        select at / width, p_starts) added
      group by bucket) summed) counted
$$;

-- Answers one request: p_count starts of the limit p_key, which allows p_limit in p_window_ms, at
-- p_now. Fewer than p_least are not granted. When nothing is granted, nothing is written.
--
-- Returns how many are granted, and when p_least more can be.
-- Locks the row of the limit, which its caller has locked.
create function reserve_one(
  p_key text, p_limit bigint, p_window_ms bigint, p_count bigint, p_least bigint, p_now bigint,
  out granted bigint, out available_at bigint
) language plpgsql as $$
declare
  v_width bigint := bucketMs(p_window_ms);
  v_kept start_limit;
  v_buckets bigint[];
  v_starts bigint[];
  v_left bigint;
  v_has_others boolean;
begin
  select * into strict v_kept from start_limit where key = p_key;
  v_has_others := v_kept.latest_at is not null
    and (v_kept.others is not null or v_kept.window_ms <> p_window_ms);
  if v_has_others then
    -- The counts of this window; where it has none, of the shortest that is longer; where there is
    -- none, of the longest.
    select window_ms, latest_at, buckets, starts
    into v_kept.window_ms, v_kept.latest_at, v_kept.buckets, v_kept.starts
    from windows_of(p_key => p_key)
    order by window_ms < p_window_ms,
      case when window_ms < p_window_ms then -window_ms else window_ms end limit 1;
  end if;
  if v_kept.latest_at is null or p_now < v_kept.latest_at - p_window_ms then
    v_kept.latest_at := p_now;
    v_kept.buckets := '{}';
    v_kept.starts := '{}';
  end if;
  -- What is kept, in buckets of this window, without those that have left it.
  select coalesce(array_agg(bucket order by bucket), '{}'),
    coalesce(array_agg(starts order by bucket), '{}'),
    p_limit - coalesce(sum(starts), 0)
  into v_buckets, v_starts, v_left
  from (
    select
      case when v_kept.window_ms = p_window_ms then bucket
        else least((bucket + 1) * bucketMs(v_kept.window_ms) - 1, v_kept.latest_at) / v_width
        end as bucket,
      sum(starts)::bigint as starts
    from unnest(v_kept.buckets, v_kept.starts) as kept (bucket, starts) group by 1) counted
  where bucket >= (greatest(p_now, v_kept.latest_at) - p_window_ms + 1) / v_width;
  granted := case when p_now < v_kept.latest_at or v_left < p_least then 0
    else least(p_count, v_left) end;
  if granted = 0 and v_left >= p_least then
    available_at := v_kept.latest_at;
    return;
  end if;
  if granted > 0 then
    v_left := v_left - granted;
    if v_buckets[cardinality(v_buckets)] = p_now / v_width then
      v_starts[cardinality(v_starts)] := v_starts[cardinality(v_starts)] + granted;
    else
      v_buckets := v_buckets || p_now / v_width;
      v_starts := v_starts || granted;
    end if;
    v_kept.others := null;
    v_kept.forget_at := p_now + 2 * p_window_ms + v_width;
    if v_has_others then
      select others, greatest(v_kept.forget_at, forget_at) into v_kept.others, v_kept.forget_at
      from count_in_others(p_key => p_key, p_window_ms => p_window_ms, p_starts => granted,
        p_now => p_now);
    end if;
    update start_limit set window_ms = p_window_ms, latest_at = p_now, buckets = v_buckets,
      starts = v_starts, others = v_kept.others,
      forget_at = (v_kept.forget_at / greatest(p_window_ms, Limit.forgetStepMs) + 1)
        * greatest(p_window_ms, Limit.forgetStepMs)
    where key = p_key;
  end if;
  if granted < p_count then
    select (bucket + 1) * v_width + p_window_ms - 1 into available_at
    from (select bucket, sum(starts) over (order by bucket) as freed
      from unnest(v_buckets, v_starts) as kept (bucket, starts)) leaving
    where v_left + freed >= p_least order by bucket limit 1;
  end if;
end
$$;

-- Corrects, in the counts of a window, starts that were granted at p_granted_at: there are p_count
-- more, unless they have left it.
--
-- Returns the buckets, and their starts.
-- Locks nothing.
create function corrected(
  p_window_ms bigint, p_latest_at bigint, p_granted_at bigint, p_count bigint,
  inout buckets bigint[], inout starts bigint[]
) language sql as $$
  select array_agg(bucket order by bucket), array_agg(starts order by bucket)
  from (
    select bucket, greatest(0, sum(starts))::bigint as starts
    from (
      select bucket, starts from unnest(buckets, starts) as kept (bucket, starts)
      union all
      select at, p_count from (select p_granted_at / bucketMs(p_window_ms) as at) granted
      where (p_count > 0 or at = any (buckets)) and p_granted_at <= p_latest_at
        and at >= (p_latest_at - p_window_ms + 1) / bucketMs(p_window_ms)) added
    group by bucket) summed
$$;

-- Corrects starts of the limit p_key that were granted at p_granted_at, in all its windows: there
-- are p_count more.
--
-- Returns nothing.
-- Locks the row of the limit, which its caller has locked.
create function correct_one(p_key text, p_granted_at bigint, p_count bigint)
returns void language sql as $$
  update start_limit set (buckets, starts) = (
      select one.buckets, one.starts
      from corrected(p_window_ms => window_ms, p_latest_at => latest_at,
        p_granted_at => p_granted_at, p_count => p_count, buckets => start_limit.buckets,
        starts => start_limit.starts) one),
    others = (
      select jsonb_agg(jsonb_build_object('window_ms', other.window_ms,
        'latest_at', other.latest_at, 'buckets', one.buckets, 'starts', one.starts) order by place)
      from windows_of(p_key => p_key) other, lateral corrected(p_window_ms => other.window_ms,
        p_latest_at => other.latest_at, p_granted_at => p_granted_at, p_count => p_count,
        buckets => other.buckets, starts => other.starts) one
      where place > 0)
  where key = p_key and latest_at is not null
$$;
