#!/usr/bin/env bash
# A conflict that never ends. A row that has changed is known by its `changed_at`: read it, and write where it is still the same, or begin anew.
# PostgreSQL 15 keeps microseconds, and a `Date`, as which pg 8.23.1 and postgres 3.4.9 (postgres.js) read them, milliseconds: what was read is equal
# to no row, each update changes none, and ten attempts find a conflict with nobody. A test that sets the instant by hand, in whole milliseconds, sees
# none of it. `timestamptz(3)` is found at once. Seen on Node 20.20.2, 2026-11-30, on a PostgreSQL 15.20 of its own.
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
npm install --silent --no-audit --no-fund --ignore-scripts pg@8.23.1 postgres@3.4.9 p-retry@7.1.1
cat >show.mjs <<'SHOW'
import pRetry from 'p-retry';
import pg from 'pg';
import postgres from 'postgres';

const server = { host: process.argv[2], user: 'postgres', database: 'postgres' };
const pool = new pg.Pool(server);
const sql = postgres(server);
const clients = { pg: async (text, values = []) => (await pool.query(text, values)).rows, 'postgres.js': (text, values = []) => sql.unsafe(text, values) };
for (const digits of [6, 3]) {
  await pool.query(`drop table if exists carts; create table carts (id int, items int, changed_at timestamptz(${digits}))`);
  await pool.query("insert into carts values (1, 0, '2026-11-30T12:00:00.123456Z')");
  for (const [name, query] of Object.entries(clients)) {
    let attempts = 0;
    const add = async () => {
      attempts += 1;
      const [{ items, changed_at }] = await query('select items, changed_at from carts where id = 1');
      const changed = await query('update carts set items = $1, changed_at = clock_timestamp() where id = 1 and changed_at = $2 returning id', [items + 1, changed_at]);
      if (changed.length === 0) throw new Error('somebody else has changed it');
    };
    const end = await pRetry(add, { retries: 9, minTimeout: 20, factor: 1 }).then(() => 'changed', ({ message }) => message);
    console.log(`${name}, timestamptz(${digits}): ${attempts} attempts, ${end}`);
  }
}
process.exit();
SHOW
cat >expected <<'SEEN'
pg, timestamptz(6): 10 attempts, somebody else has changed it
postgres.js, timestamptz(6): 10 attempts, somebody else has changed it
pg, timestamptz(3): 1 attempts, changed
postgres.js, timestamptz(3): 1 attempts, changed
SEEN
TZ=UTC node show.mjs "$folder/data" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
