#!/usr/bin/env bash
# One job that is all of them. `update jobs … where id in (select id … limit 1 for update skip locked)` is how a worker takes its next job out of a
# table. To PostgreSQL 15 the subquery is a side of a join, which it may run once for each row of the other, and does if it takes the table for one of a
# single row: if there was one job when its statistics were made, as in a queue that is nearly empty. Each run passes over what it has updated before and
# returns the next one, so that one worker takes all eleven jobs. In a `from`, and in a `delete`, it is the same. With `where id = (…)` or `with next as
# (…)` it runs once. Seen on Node 20.20.2, 2026-11-30, with pg 8.23.1 on a PostgreSQL 15.20 of its own.
set -euo pipefail
folder="$(mktemp -d)"
server=/usr/lib/postgresql/15/bin
owner() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
trap 'owner "$server/pg_ctl" -D "$folder/data/db" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 "$folder"
mkdir data
if [ "$(id -u)" = 0 ]; then chown postgres data; fi
owner "$server/initdb" -D "$folder/data/db" -U postgres -A trust >/dev/null
owner "$server/pg_ctl" -D "$folder/data/db" -o "-k $folder/data -c listen_addresses=" -l "$folder/data/log" -w start >/dev/null
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts pg@8.23.1
cat >show.mjs <<'SHOW'
import pg from 'pg';

const pool = new pg.Pool({ host: process.argv[2], user: 'postgres', database: 'postgres' });
const next = "select id from jobs where state = 'ready' order by id limit 1 for update skip locked";
const take = "update jobs set state = 'active'";
const ways = {
  'where id in (select …)': `${take} where id in (${next})`,
  'from (select …)': `${take} from (${next}) next where jobs.id = next.id`,
  'delete, where id in (select …)': `delete from jobs where id in (${next})`,
  'where id = (select …)': `${take} where id = (${next})`,
  'with next as (select …)': `with next as (${next}) ${take} from next where jobs.id = next.id`,
};
for (const jobs of [1, 1000]) {
  for (const [name, way] of Object.entries(ways)) {
    await pool.query('drop table if exists jobs');
    await pool.query("create table jobs (id bigint generated always as identity primary key, state text not null default 'ready')");
    await pool.query("insert into jobs (state) select 'ready' from generate_series(1, $1)", [jobs]);
    await pool.query('analyze jobs'); // as the server does by itself
    await pool.query("insert into jobs (state) select 'ready' from generate_series(1, 10)");
    const { rowCount } = await pool.query(way);
    console.log(`${jobs} at the statistics, ${name}: takes ${rowCount} of ${jobs + 10}`);
  }
}
await pool.end();
SHOW
cat >expected <<'SEEN'
1 at the statistics, where id in (select …): takes 11 of 11
1 at the statistics, from (select …): takes 11 of 11
1 at the statistics, delete, where id in (select …): takes 11 of 11
1 at the statistics, where id = (select …): takes 1 of 11
1 at the statistics, with next as (select …): takes 1 of 11
1000 at the statistics, where id in (select …): takes 1 of 1010
1000 at the statistics, from (select …): takes 1 of 1010
1000 at the statistics, delete, where id in (select …): takes 1 of 1010
1000 at the statistics, where id = (select …): takes 1 of 1010
1000 at the statistics, with next as (select …): takes 1 of 1010
SEEN
TZ=UTC node show.mjs "$folder/data" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
