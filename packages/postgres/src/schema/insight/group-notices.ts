import { OTHER_GROUP } from '@retry/core/broker/kit';
import { isSame } from '../fragments.ts';
import { head } from '../signatures.ts';
import { GROUP_SUMS } from './groups.ts';

/**
 * Returns the groups that are new or have doubled since their latest notice, and keeps their counts in \`group_mark\`. Two calls do not
 * look at the same time: the lock comes first, and each statement sees what was committed before it. Only
 * the counts of the other groups are summed up: 1 000 groups of 16 rows take some 8 ms.
 */
export const GROUP_NOTICES: string = `
create function ${head('claim_group_notices')} returns text language plpgsql {settings} as $$
declare
  v_notices text;
begin
  perform pg_advisory_xact_lock({lock}, 5);
  delete from group_mark m where not exists (select from error_group g where ${isSame('g.lane', 'm.lane')} and g.id = m.id);
  with above as materialized (
    select s.lane, s.id, case when m.count is null then 'new' else 'doubled' end as kind
    from (select lane, id, sum(count) as count from error_group group by lane, id having sum(count) > 0) s
    left join group_mark m on ${isSame('m.lane', 's.lane')} and m.id = s.id
    where m.count is null or s.count >= 2 * m.count
  ), noticed as materialized (
    select above.*, s.* from above, lateral (
      select ${GROUP_SUMS} from error_group g where g.lane = above.lane and g.id = above.id) s
  ), marked as (
    insert into group_mark (lane, id, count) select lane, id, count from noticed
    on conflict (lane, id) do update set count = excluded.count
  )
  select coalesce(json_agg(json_build_object('kind', kind, 'lane', lane, 'id', id, 'title', title, 'count', count,
    'attempts', attempts, 'firstSeenAt', first_at, 'lastSeenAt', last_at, 'sampleId', latest_id, 'isOther', id = '${OTHER_GROUP.id}')
    order by lane, id), '[]')::text
  into v_notices from noticed;
  return v_notices;
end
$$;
`;
