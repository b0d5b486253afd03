import { WINDOWS_OF_A_KEY } from '@retry/core/broker/kit';
import { call, head } from './signatures.ts';

/** How many limits that are not used one call forgets, at most, for each limit that it adds. */
const FORGOTTEN_FOR_EACH = 2;

/** When a limit may be forgotten is rounded up to at least this many ms, so that few updates change what is indexed. */
const FORGET_STEP_MS = 60_000;

/** The columns of `windows_of`. */
const WINDOWS =
  'out place bigint, out window_ms bigint, out latest_at bigint, out buckets bigint[], out starts bigint[]';

/** The width of a bucket, in ms. */
const bucketMs = (windowMs: string): string => `((${windowMs} + 31) / 32)`;

/**
 * The twin of \`reserveStarts\` in the kit of brokers.
 *
 * 1. \`reserve_starts\` first locks the rows of all its limits, in the order of their keys, and adds those that are missing: a row that
 *    conflicts is locked, though never updated. The clock is read after that, so it never goes back from one call to the next.
 * 2. \`reserve_one\` answers one request: when nothing is granted, nothing is written, and the second number says when one more can be.
 * 3. The counts of the window that was used last are columns; \`others\` has those of other windows, the last used ones first.
 * 4. The table grows only by limits that are added; each of them lets two be forgotten that are not used.
 */
export const RESERVE: string = `
create function ${head('windows_of', WINDOWS)} returns setof record language sql as $$
  select 0, window_ms, latest_at, buckets, starts from start_limit where key = p_key and latest_at is not null
  union all
  select other.place, other.window_ms, other.latest_at, other.buckets, other.starts
  from start_limit, lateral rows from (jsonb_to_recordset(others)
    as (window_ms bigint, latest_at bigint, buckets bigint[], starts bigint[]))
    with ordinality as other (window_ms, latest_at, buckets, starts, place)
  where key = p_key
$$;

-- Counts starts that were granted by one window in all others; while the clock is back, as of the latest instant.
create function ${head('count_in_others', 'out others jsonb, out forget_at bigint')} language sql as $$
  select jsonb_agg(jsonb_build_object(
      'window_ms', window_ms, 'latest_at', at, 'buckets', counted.buckets, 'starts', counted.starts) order by place),
    max(at + 2 * window_ms + width)
  from (
    select *, ${bucketMs('window_ms')} as width,
      case when p_now < latest_at - window_ms then p_now else greatest(p_now, latest_at) end as at
    from ${call('windows_of', { key: 'p_key' })} where window_ms <> p_window_ms order by place limit ${WINDOWS_OF_A_KEY - 1}) other,
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

create function ${head('reserve_one', 'out granted bigint, out available_at bigint')} language plpgsql as $$
declare
  v_width bigint := ${bucketMs('p_window_ms')};
  v_kept start_limit;
  v_buckets bigint[];
  v_starts bigint[];
  v_left bigint;
  v_has_others boolean;
begin
  select * into strict v_kept from start_limit where key = p_key;
  v_has_others := v_kept.latest_at is not null and (v_kept.others is not null or v_kept.window_ms <> p_window_ms);
  if v_has_others then
    -- The counts of this window; where it has none, of the shortest that is longer; where there is none, of the longest.
    select window_ms, latest_at, buckets, starts into v_kept.window_ms, v_kept.latest_at, v_kept.buckets, v_kept.starts
    from ${call('windows_of', { key: 'p_key' })}
    order by window_ms < p_window_ms, case when window_ms < p_window_ms then -window_ms else window_ms end limit 1;
  end if;
  if v_kept.latest_at is null or p_now < v_kept.latest_at - p_window_ms then
    v_kept.latest_at := p_now;
    v_kept.buckets := '{}';
    v_kept.starts := '{}';
  end if;
  -- What is kept, in buckets of this window, without those that have left it.
  select coalesce(array_agg(bucket order by bucket), '{}'), coalesce(array_agg(starts order by bucket), '{}'),
    p_limit - coalesce(sum(starts), 0)
  into v_buckets, v_starts, v_left
  from (
    select case when v_kept.window_ms = p_window_ms then bucket
      else least((bucket + 1) * ${bucketMs('v_kept.window_ms')} - 1, v_kept.latest_at) / v_width end as bucket,
      sum(starts)::bigint as starts
    from unnest(v_kept.buckets, v_kept.starts) as kept (bucket, starts) group by 1) counted
  where bucket >= (greatest(p_now, v_kept.latest_at) - p_window_ms + 1) / v_width;
  granted := case when p_now < v_kept.latest_at then 0 else least(p_count, greatest(0, v_left)) end;
  if granted = 0 and v_left > 0 then
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
      from ${call('count_in_others', { key: 'p_key', windowMs: 'p_window_ms', starts: 'granted', now: 'p_now' })};
    end if;
    update start_limit set window_ms = p_window_ms, latest_at = p_now, buckets = v_buckets, starts = v_starts, others = v_kept.others,
      forget_at = (v_kept.forget_at / greatest(p_window_ms, ${FORGET_STEP_MS}) + 1) * greatest(p_window_ms, ${FORGET_STEP_MS})
    where key = p_key;
  end if;
  if granted < p_count then
    select (bucket + 1) * v_width + p_window_ms - 1 into available_at
    from (select bucket, sum(starts) over (order by bucket) as freed from unnest(v_buckets, v_starts) as kept (bucket, starts)) leaving
    where v_left + freed > 0 order by bucket limit 1;
  end if;
end
$$;

create function ${head('reserve_starts')} returns text language plpgsql {settings} as $$
declare
  v_now bigint;
  v_added bigint;
  v_answers jsonb := '[]';
  v_granted bigint;
  v_available_at bigint;
begin
  insert into start_limit as present (key, window_ms, buckets, starts, forget_at)
  select key, 1, '{}', '{}', 0 from (select distinct unnest(p_keys) collate "C" as key) asked order by key
  on conflict (key) do update set forget_at = present.forget_at where false;
  get diagnostics v_added = row_count;
  v_now := now_ms();
  for v_n in 1 .. cardinality(p_keys) loop
    select granted, available_at into v_granted, v_available_at from ${call('reserve_one', {
      key: 'p_keys[v_n]',
      limit: 'p_limits[v_n]',
      windowMs: 'p_windows_ms[v_n]',
      count: 'p_counts[v_n]',
      now: 'v_now',
    })};
    v_answers := v_answers || jsonb_build_array(jsonb_strip_nulls(
      jsonb_build_object('granted', v_granted, 'availableAt', v_available_at)));
  end loop;
  if v_added > 0 then
    delete from start_limit where ctid = any (array (
      select ctid from start_limit where forget_at <= v_now order by forget_at limit ${FORGOTTEN_FOR_EACH} * v_added
      for update skip locked));
  end if;
  return v_answers::text;
end
$$;
`;
