#!/usr/bin/env bash
# Half a transfer, committed by somebody else. `query_timeout` of pg 8.23.1 rejects a statement that takes too long, and the server goes on with
# it. The ROLLBACK that follows waits behind it and times out as well: it is taken out of the line and never sent, and `release()` in the `finally`
# gives the connection back with its transaction open. The next one that gets it says BEGIN, at which the server only warns, and its COMMIT commits
# both: of a transfer that was reported as failed one half is done. With `release(true)` where the ROLLBACK has failed the connection is closed,
# and nothing is left. Seen on Node 20.20.2, 2026-11-30, on a PostgreSQL 15.20 of its own.
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
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const server = { host: process.argv[2], user: 'postgres', database: 'postgres' };
const other = new pg.Client(server);
await other.connect();

async function inTransaction(pool, release, run) {
  const client = await pool.connect();
  let isBroken = false;
  try {
    await client.query('BEGIN');
    await run(client);
    await client.query('COMMIT');
    return 'committed';
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {
      isBroken = true;
    });
    return error.message;
  } finally {
    release(client, isBroken);
  }
}

async function show(name, release) {
  await other.query('drop table if exists accounts');
  await other.query("create table accounts as select * from (values ('from', 100), ('to', 0)) as first (name, cents)");
  const pool = new pg.Pool({ ...server, max: 1, query_timeout: 1_000 });
  const transfer = await inTransaction(pool, release, async (client) => {
    await client.query("update accounts set cents = cents - 10 where name = 'from'");
    await client.query('select pg_sleep(4)'); // whatever is slow: a lock, a trigger, a report
    await client.query("update accounts set cents = cents + 10 where name = 'to'");
  });
  await sleep(4_000);
  const next = await inTransaction(pool, release, (client) => client.query("insert into accounts values ('new', 1)"));
  const { rows } = await other.query('select name, cents from accounts order by name');
  console.log(`${name}: transfer ${transfer}, next one ${next}, ${rows.map((row) => `${row.name} ${row.cents}`).join(', ')}`);
  await pool.end();
}
await show('release()', (client) => client.release());
await show('release(true)', (client, isBroken) => client.release(isBroken));
await other.end();
SHOW
cat >expected <<'SEEN'
release(): transfer Query read timeout, next one committed, from 90, new 1, to 0
release(true): transfer Query read timeout, next one committed, from 100, new 1, to 0
SEEN
TZ=UTC node show.mjs "$folder/data" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
