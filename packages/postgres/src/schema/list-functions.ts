import { hasId } from './fragments.ts';
import { isStartedBy } from './leases.ts';
import { head, passOn } from './signatures.ts';

/** How many entries of a list one page looks at, at least, where only some of their runs may match. */
const MIN_LOOK = 1_000;

/** The next entries of a table that is ordered by lane and these columns. The condition is one that its index serves. */
const entriesOf = (table: string, columns: readonly string[], condition: string): string =>
  `(select lane, null::text, ${columns.includes('run_at') ? 'run_at' : 'null::bigint'}, ord, id from ${table}
          where ${condition} order by ${['lane', ...columns].join(', ')} limit p_look)`;

/** Behind the entry that the cursor has, in one lane or in all. */
const inLane = (columns: readonly string[]): string =>
  `lane = p_lane and (${columns.join(', ')}) > (${columns.map(argumentOf).join(', ')})`;
const inAnyLane = (columns: readonly string[]): string =>
  `(${['lane', ...columns].join(', ')}) > (${['lane', ...columns].map(argumentOf).join(', ')})`;

const VALUES: Readonly<Record<string, string>> = {
  lane: 'p_after_name',
  run_at: 'p_after_at',
  ord: 'p_after_ord',
};
const argumentOf = (column: string): string => VALUES[column] ?? column;

const waiting = (condition: string): string => `select * from (
          ${entriesOf('ready', ['ord'], condition)}
          union all ${entriesOf('parked', ['ord'], `${condition} and key_limit > 0`)}) both_of order by 1, 4 limit p_look`;

/** The next entries of each of some rows that have several; the last row may have some that were read. */
const eachOf = (rows: string, entries: string): string => `
      for v_row in ${rows} loop
        return query ${entries};
        get diagnostics v_count = row_count;
        v_left := v_left - v_count;
        exit when v_left <= 0;
      end loop;`;

/**
 * The next entries of one list, in its order, each with what its order is by. An entry keeps it as long as its run stays
 * where it is, so that a page continues behind it, whatever else has moved. Every list is read by an index:
 *
 * - \`waiting\`: what is ready or parked, by lane and order
 * - \`scheduled\`: by lane, instant and order
 * - \`started\`: by claim and id; the instant is that of the start
 * - \`dead\`: dead letters, by id
 * - \`grouped\`: those of one error group, by lane and id
 * - \`awaited\`: by the instant until when the result is kept, and id
 * - \`finished\`: by the order that all have in common which ended together, and id
 */
const NEXT_LISTED: string = `
create function ${head('next_listed')} returns table (name text, request text, at bigint, ord bigint, id text)
language plpgsql stable as $$
#variable_conflict use_column
declare
  v_row record;
  v_left bigint := p_look;
  v_count bigint;
begin
  case
    when p_list = 'waiting' and p_lane is null then
      return query ${waiting(inAnyLane(['ord']))};
    when p_list = 'waiting' then
      return query ${waiting(inLane(['ord']))};
    when p_list = 'scheduled' and p_lane is null then
      return query ${entriesOf('scheduled', ['run_at', 'ord'], inAnyLane(['run_at', 'ord']))};
    when p_list = 'scheduled' then
      return query ${entriesOf('scheduled', ['run_at', 'ord'], inLane(['run_at', 'ord']))};
    when p_list = 'started' then${eachOf(
      'select * from claim c where (c.worker, c.request) >= (p_after_name, p_after_request) order by c.worker, c.request',
      `select v_row.worker::text, v_row.request::text, v_row.at, l.ord, l.id from unnest(v_row.ids, v_row.ords) as l (id, ord)
          where (v_row.worker, v_row.request) <> (p_after_name, p_after_request) or l.id collate "C" > p_after_id
          order by l.id collate "C"`,
    )}
    when p_list = 'dead' then
      return query select null::text, null::text, null::bigint, r.ord, r.id from run r
        where is_dead and r.id > p_after_id order by r.id limit p_look;
    when p_list = 'grouped' and p_lane is null then
      return query select r.lane, null::text, null::bigint, r.ord, r.id from run r
        where is_dead and r.error_group = p_error_group and (r.lane, r.id) > (p_after_name, p_after_id) order by r.lane, r.id limit p_look;
    when p_list = 'grouped' then
      return query select r.lane, null::text, null::bigint, r.ord, r.id from run r
        where is_dead and r.error_group = p_error_group and r.lane = p_lane and r.id > p_after_id order by r.id limit p_look;
    when p_list = 'awaited' then
      return query select null::text, null::text, a.until, a.ord, a.id from awaited a
        where (a.until, a.id) > (p_after_at, p_after_id) order by a.until, a.id limit p_look;
    when p_list = 'finished' then${eachOf(
      'select * from finished f where f.ord >= p_after_ord order by f.ord',
      `select null::text, null::text, null::bigint, v_row.ord, l.id from unnest(v_row.ids) as l (id)
          where v_row.ord <> p_after_ord or l.id collate "C" > p_after_id order by l.id collate "C"`,
    )}
  end case;
end
$$;
`;

/**
 * A page of one list: the runs that match, and the entry behind which the next page begins, unless this one has reached the
 * end of the list. A page looks at a bounded number of entries, whether their runs match or not.
 */
export const LIST: string = `${NEXT_LISTED}
create function ${head('list_runs')} returns text language plpgsql {settings} as $$
declare
  v_look bigint := case when p_list in ('waiting', 'scheduled') and p_error_name is null and p_ended_before is null
    then p_limit + 1 else greatest(p_limit + 1, ${MIN_LOOK}) end;
begin
  return (
    with looked as materialized (
      select l.*, row_number() over () as n from ${passOn('next_listed', { look: 'v_look' })} l
    ), found as materialized (
      select l.*, row_number() over (order by l.n) as nth
      from looked l, lateral (select * from run where ${hasId('run', 'l.id')} offset 0) r
      where case when p_list = 'started' then ${isStartedBy('r', 'l')} else state_name(r.state) = p_state end
        and (p_lane is null or r.lane = p_lane)
        and (p_ended_before is null or r.ended_at < p_ended_before) and (p_error_name is null or r.error_name = p_error_name)
      order by l.n limit p_limit
    ), listed as materialized (
      select coalesce(array_agg(id order by nth), '{}') as ids, array_agg(ord order by nth) as ords,
        array_agg(case when p_list = 'started' then at end order by nth) as ats, count(*) as count
      from found
    ), shown as materialized (
      select s.n, s.shown from listed l, show_listed(l.ids, l.ats, l.ords, p_payloads) s
    ), counted as materialized (
      select (select count(*) from shown) as shown, (select count from listed) as found,
        (select count(*) from looked) as looked
    ), last as materialized (
      -- A full page ends with its last run, any other one with the last entry that it has looked at.
      select case when c.shown < c.found or c.found = p_limit then (select n from found where nth = c.shown)
        else c.looked end as n, c.looked from counted c
    )
    select json_build_object(
      'runs', coalesce((select json_agg(shown order by n) from shown), '[]'),
      'end', (
        select json_build_array(coalesce(e.name, ''), coalesce(e.request, ''), coalesce(e.at, 0), coalesce(e.ord, 0), e.id)
        from looked e join last l on e.n = l.n where l.n < l.looked or l.looked >= v_look))::text);
end
$$;
`;
