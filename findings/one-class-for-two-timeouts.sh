#!/usr/bin/env bash
# One class for two timeouts. `KnexTimeoutError` of knex 3.3.0 is thrown where its pool had no connection, so that nothing was sent, and where a query
# took longer than its `.timeout(ms)`: then PostgreSQL 15 goes on, and the row of an INSERT is there a second later. Class and name are the same, and
# there is no code; only the message, and `timeout` beside it, say which it was. Who repeats what has that class, as for a full pool, inserts twice.
# With `{ cancel: true }` the message is the same again, and the row is not there. Seen on Node 20.20.2, 2026-12-01, on a PostgreSQL 15.20 of its own.
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

const open = (max) =>
  knex({
    client: 'pg',
    connection: { host: process.argv[2], user: 'postgres', database: 'postgres' },
    pool: { min: 0, max },
    acquireConnectionTimeout: 500,
    log: { warn: () => undefined },
  });
const db = open(5);
await db.raw('create table orders (id int)');

async function describe(what, query, on = db) {
  const error = await query.then(() => undefined, (thrown) => thrown);
  const isOne = error instanceof knex.KnexTimeoutError;
  await db.raw('select pg_sleep(3)');
  const [{ count }] = await on('orders').count();
  console.log(`${what}: ${error.name}, of that class: ${isOne}, code: ${error.code}; rows three seconds later: ${count}`);
  console.log(`  ${error.message.split('.')[0]}`);
}

const slow = 'insert into orders select 1 from pg_sleep(1.5)';
const full = open(1);
const busy = full.raw('select pg_sleep(2)').then(() => undefined);
await describe('a full pool', full.raw(slow), db);
await busy;
await describe('a query that takes longer', db.raw(slow).timeout(300));
await describe('the same, repeated as after a full pool', db.raw(slow).timeout(300));
await db('orders').del();
await describe('a query that takes longer, cancelled', db.raw(slow).timeout(300, { cancel: true }));
process.exit();
SHOW
cat >expected <<'SEEN'
a full pool: KnexTimeoutError, of that class: true, code: undefined; rows three seconds later: 0
  Knex: Timeout acquiring a connection
a query that takes longer: KnexTimeoutError, of that class: true, code: undefined; rows three seconds later: 1
  Defined query timeout of 300ms exceeded when running query
the same, repeated as after a full pool: KnexTimeoutError, of that class: true, code: undefined; rows three seconds later: 2
  Defined query timeout of 300ms exceeded when running query
a query that takes longer, cancelled: KnexTimeoutError, of that class: true, code: undefined; rows three seconds later: 0
  Defined query timeout of 300ms exceeded when running query
SEEN
TZ=UTC node show.mjs "$folder/data" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
