import { MAX_GROUPS, OTHER_GROUP } from '@retry/core/broker/kit';
import { hasId, isSame, unnestNumbered } from '../fragments.ts';
import { head } from '../signatures.ts';

/** How many rows of a group are read one by one before they are summed up. */
const MAX_UNSUMMED = 16;

/** The most groups that one call sums up. */
const MAX_SUMMED = 1_000;

const OTHER = `'${OTHER_GROUP.id}'`;

/** One lock for all that sum up: two of them would otherwise wait for one another. Operations have number 3. */
const SUM_LOCK = '{lock}, 4';

const latest = (column: string): string =>
  `(array_agg(${column} order by last_at desc nulls last, latest_ord desc))[1]`;

/** The columns of a sum over rows of a group. */
export const GROUP_SUMS: string = `sum(count)::bigint as count, sum(attempts)::bigint as attempts, min(first_at) as first_at, max(last_at) as last_at,
      ${latest('title')} as title, ${latest('latest_id')} as latest_id, ${latest('latest_ord')} as latest_ord`;

/**
 * Whether a group has rows. The last one comes first, as it is the one that is not deleted. By `=` the planner would read all groups at
 * once into a table of its own.
 */
const isKnown = (lane: string, id: string): string =>
  `exists (select from error_group k where ${isSame('k.lane', lane)} and k.id = ${id} order by k.seq desc limit 1)`;

/** How many groups a lane has, besides the one that counts the rest. */
const groupsOf = (lane: string): string =>
  `(select count(distinct id) from error_group where lane = ${lane} and id <> ${OTHER})`;

/**
 * What dead letters are counted under. Nothing here is updated in place: see \`error_group\`.
 *
 * - \`admit_groups\` returns for each group the id that it is counted under: \`other\` where its lane has as many as it may have. A new
 *   group locks those of its lane, so that two transactions do not both add the last one. No lock is taken for a known group, or where
 *   the lane is full: a full lane has one more if a known group is emptied by another transaction at the same moment, and its place is
 *   taken. Lanes are locked in their order, before any row.
 * - \`join_groups\` counts dead letters, \`leave_groups\` takes those of these ids out again. A group that is empty then has no rows.
 * - \`sum_groups\` replaces the rows of groups by their sum. No other transaction sees more or less than before.
 */
export const GROUPS: string = `
create function admit_groups(p_lanes text[], p_ids text[]) returns text[] language plpgsql as $$
declare
  v_ids text[] := array (
    select case when id = ${OTHER} or ${isKnown('g.lane', 'g.id')} then id end
    from ${unnestNumbered('g', { lane: 'p_lanes', id: 'p_ids' })} order by n);
  v_new record;
  v_lane text;
  v_count bigint;
  v_is_full boolean;
  v_n bigint;
begin
  if array_position(v_ids, null) is null then
    return v_ids;
  end if;
  for v_new in
    select lane, id, array_agg(n) as places from ${unnestNumbered('g', { lane: 'p_lanes', id: 'p_ids' })}
    where v_ids[n] is null and lane is not null and id is not null group by lane, id order by lane, id
  loop
    if v_lane is distinct from v_new.lane then
      v_lane := v_new.lane;
      v_count := ${groupsOf('v_lane')};
      if v_count < ${MAX_GROUPS} then
        perform pg_advisory_xact_lock({lock}, hashtext(concat('groups of ', v_lane)));
        v_count := ${groupsOf('v_lane')};
      end if;
    end if;
    v_is_full := v_count >= ${MAX_GROUPS} and not ${isKnown('v_lane', 'v_new.id')};
    v_count := v_count + 1;
    foreach v_n in array v_new.places loop
      v_ids[v_n] := case when v_is_full then ${OTHER} else v_new.id end;
    end loop;
  end loop;
  return v_ids;
end
$$;

create function join_groups(p_dead dead_letter[]) returns void language sql as $$
  insert into error_group (lane, id, title, count, attempts, first_at, last_at, latest_id, latest_ord)
  select lane, group_id,
    case group_id when ${OTHER} then '${OTHER_GROUP.title}' else (array_agg(title order by ended_at desc, n desc))[1] end,
    count(*), sum(spent), min(ended_at), max(ended_at), (array_agg(id order by ended_at desc, n desc))[1], max(ord)
  from unnest(p_dead) group by lane, group_id
$$;

create function sum_groups(p_lanes text[], p_ids text[]) returns void language sql as $$
  with old as (
    delete from error_group g using unnest(p_lanes, p_ids) as k (lane, id) where ${isSame('g.lane', 'k.lane')} and g.id = k.id returning g.*
  )
  insert into error_group (lane, id, is_sum, count, attempts, first_at, last_at, title, latest_id, latest_ord)
  select lane, id, true, ${GROUP_SUMS}
  from old group by lane, id having sum(count) <> 0
$$;

create function leave_groups(p_ids text[]) returns void language plpgsql as $$
declare
  v_lanes text[];
  v_groups text[];
begin
  with gone as (
    insert into error_group (lane, id, count, attempts)
    select r.lane, r.error_group, -count(*), -sum(r.spent) from unnest(p_ids) as asked (id) join run r on ${hasId('r', 'asked.id')}
    where r.error_group is not null group by r.lane, r.error_group
    returning lane, id
  )
  select array_agg(lane), array_agg(id) into v_lanes, v_groups from gone;
  if v_lanes is not null then
    perform pg_advisory_xact_lock(${SUM_LOCK});
    perform sum_groups(v_lanes, v_groups);
  end if;
end
$$;

create function tidy_groups() returns void language plpgsql as $$
declare
  v_lanes text[];
  v_groups text[];
begin
  if not pg_try_advisory_xact_lock(${SUM_LOCK}) then
    return;
  end if;
  select array_agg(lane), array_agg(id) into v_lanes, v_groups from (
    select lane, id from error_group where not is_sum group by lane, id having count(*) >= ${MAX_UNSUMMED} limit ${MAX_SUMMED}) many;
  if v_lanes is not null then
    perform sum_groups(v_lanes, v_groups);
  end if;
end
$$;

create function ${head('list_groups')} returns text language plpgsql stable {settings} as $$
begin
  return (
    with sums as materialized (
      select lane, id, ${GROUP_SUMS}
      from error_group where p_lane is null or lane = p_lane group by lane, id having sum(count) > 0
    ), page as materialized (
      select * from sums
      where p_after_count is null or count < p_after_count or count = p_after_count and (lane, id) > (p_after_lane, p_after_id)
      order by count desc, lane, id limit p_limit + 1
    ), shown as materialized (
      select p.*, coalesce(
        (select r.id from run r where ${hasId('r', 'p.latest_id')} and r.is_dead and r.lane = p.lane and r.error_group = p.id),
        (select r.id from run r where r.is_dead and r.error_group = p.id and r.lane = p.lane order by r.id limit 1), p.latest_id) as sample_id
      from (select * from page order by count desc, lane, id limit p_limit) p
    )
    select json_build_object(
      'deadLetters', (select coalesce(sum(count), 0) from sums),
      'isLast', (select count(*) from page) <= p_limit,
      'groups', (select coalesce(json_agg(json_build_object('lane', lane, 'id', id, 'title', title, 'count', count, 'attempts', attempts,
        'firstSeenAt', first_at, 'lastSeenAt', last_at, 'sampleId', sample_id, 'isOther', id = ${OTHER})
        order by count desc, lane, id), '[]') from shown))::text);
end
$$;
`;
