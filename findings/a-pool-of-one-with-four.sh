#!/usr/bin/env bash
# A pool of one with four queries. `.timeout(ms)` of knex 3.3.0 rejects, throws the connection out of the pool and lets the query run on: the pool,
# `max: 1`, opens another one, and each timeout adds a query to a server that is too slow already, until it has no connections left. Who repeats
# what timed out is the load. With `{ cancel: true }` the query ends with its timeout. Seen on Node 20.20.2, 2026-11-30, with pg 8.23.1 on a
# PostgreSQL 15.20 of its own.
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
npm install --silent --no-audit --no-fund --ignore-scripts knex@3.3.0 pg@8.23.1
cat >show.mjs <<'SHOW'
import knex from 'knex';
import pg from 'pg';

const connection = { host: process.argv[2], user: 'postgres', database: 'postgres' };
const other = new pg.Client(connection);
await other.connect();

async function show(name, query, options) {
  const database = knex({ client: 'pg', connection, pool: { min: 0, max: 1 }, log: { warn: () => undefined } });
  const ends = [];
  for (let tries = 0; tries < 4; tries += 1) {
    const end = await database.raw(query).timeout(500, options).catch((error) => error.name);
    ends.push(end);
  }
  const { rows } = await other.query("select count(*) from pg_stat_activity where state = 'active' and query = $1", [query]);
  console.log(`${name}: each ends with ${[...new Set(ends)]}, ${rows[0].count} of 4 run on under a limit of one`);
}
await show('timeout(500)', 'select pg_sleep(20)', {});
await show('timeout(500, { cancel: true })', 'select pg_sleep(21)', { cancel: true });
process.exit();
SHOW
cat >expected <<'SEEN'
timeout(500): each ends with KnexTimeoutError, 4 of 4 run on under a limit of one
timeout(500, { cancel: true }): each ends with KnexTimeoutError, 0 of 4 run on under a limit of one
SEEN
TZ=UTC node show.mjs "$folder/data" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
