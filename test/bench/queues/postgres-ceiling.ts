import pg from 'pg';

const TABLES = `
create table bench_ready (ord bigint primary key, id text not null);
create table bench_inflight (id text primary key, ord bigint not null, lease_until bigint not null);
`;

/** As little as it takes to hand out an id, lease it, and take it back: no bodies, no fence, no retention. */
const EXCHANGE = `
with done as (
  delete from bench_inflight where id = any ($1::text[])
), taken as (
  delete from bench_ready where ctid = any (array (
    select ctid from bench_ready where ord > $2::bigint order by ord limit $3::integer for update skip locked))
  returning id, ord
), leased as (
  insert into bench_inflight select id, ord, $4::bigint from taken
)
select id, ord from taken
`;

/** Runs per second through the bare statement, two exchanges of a batch in flight. */
export async function ceiling(
  url: string,
  { count, batch }: { count: number; batch: number },
): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  await pool.query(TABLES);
  await pool.query(
    `insert into bench_ready select n, '00000000-0000-4000-8000-' || lpad(n::text, 12, '0')
     from generate_series(1, $1::integer) n`,
    [count],
  );
  const startedAt = performance.now();
  const exchange = async (): Promise<void> => {
    let ids: string[] = [];
    let low = 0;
    do {
      const values = [ids, low, batch, Date.now() + 30_000];
      const { rows } = await pool.query<{ id: string; ord: string }>({
        name: 'exchange',
        text: EXCHANGE,
        values,
      });
      ids = rows.map(({ id }) => id);
      low = Math.max(low, ...rows.map(({ ord }) => Number(ord)));
    } while (ids.length > 0);
  };
  await Promise.all([exchange(), exchange()]);
  const ms = performance.now() - startedAt;
  await pool.query('drop table bench_ready, bench_inflight');
  await pool.end();
  return (count / ms) * 1_000;
}
