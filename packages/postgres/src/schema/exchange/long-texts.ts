import { LONGEST_SHORT } from '@retry/core/broker/kit';
import { hasId } from '../fragments.ts';

/** What replaces a payload or a result that retention has deleted: no JSON. */
export const TRIMMED = '\u0001trimmed';

/** The same as an SQL expression. */
const TRIMMED_SQL = "(chr(1) || 'trimmed')";

const isLong = (text: string): string => `coalesce(octet_length(${text}), 0) > ${LONGEST_SHORT}`;
const bytesOf = (text: string): string => `case when ${isLong(text)} then octet_length(${text}) else 0 end`;

/** How many bytes the long texts of this row of `run` have: SQL, which reads none of them. */
export const longBytes = (row: string): string =>
  `(${bytesOf(`${row}.payload`)} + ${bytesOf(`${row}.result`)})`;

/** Whether retention has deleted the payload of this row of `run`. */
export const isTrimmed = (row: string): string => `${row}.payload = ${TRIMMED_SQL}`;

/** Notes how many bytes the row of `finished` that was just made has, by a variable. */
export const noteLong = (ord: string, bytes: string): string => `
    if ${bytes} > 0 then
      insert into long_finished (ord, bytes) values (${ord}, ${bytes});
    end if;`;

/** The most rows of `finished` whose texts one call deletes. */
const MAX_ROWS = 1_000;

/**
 * \`delete_long\` deletes the long texts of the runs that ended first until those of the others take no more bytes than are kept: all of
 * a row of \`finished\`. The runs stay. \`recount_long\` counts again what is left of such rows when runs were taken out of them.
 */
export const LONG_TEXTS: string = `
create function recount_long(p_ords bigint[]) returns void language sql as $$
  update long_finished l set bytes = (
    select coalesce(sum(${longBytes('r')}), 0) from finished f, unnest(f.ids) as one (id),
      lateral (select * from run where ${hasId('run', 'one.id')} offset 0) r
    where f.ord = l.ord and r.ord = f.ord)
  where l.ord = any (p_ords)
$$;

create function delete_long(p_keep_bytes bigint) returns void language plpgsql as $$
declare
  v_ords bigint[];
begin
  select array_agg(ord) into v_ords from (
    select ord from (select ord, sum(bytes) over (order by ord desc) as upto from long_finished) newest
    where upto > p_keep_bytes order by ord limit ${MAX_ROWS}) oldest;
  if v_ords is null then
    return;
  end if;
  -- Statements that take runs out of such a row lock it first, too.
  v_ords := array (select ord from finished where ord = any (v_ords) order by ord for update skip locked);
  update run r set payload = case when ${isLong('r.payload')} then ${TRIMMED_SQL} else r.payload end,
    result = case when ${isLong('r.result')} then ${TRIMMED_SQL} else r.result end
  from finished f, unnest(f.ids) as one (id)
  where f.ord = any (v_ords) and ${hasId('r', 'one.id')} and r.ord = f.ord and ${longBytes('r')} > 0;
  delete from long_finished where ord = any (v_ords);
end
$$;
`;
