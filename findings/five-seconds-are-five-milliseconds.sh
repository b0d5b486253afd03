#!/usr/bin/env bash
# Five seconds that are five milliseconds. In the URL of a database "5s" and "2min" are durations, as PostgreSQL itself reads and writes them, and
# postgres 3.4.9 (postgres.js) hands them on. pg 8.23.1 keeps the number at their beginning and sends that, as milliseconds:
# `?statement_timeout=5s` cancels what takes longer than 5 ms, `lock_timeout=2min` waits for 2. In `options` it is right. And `connect_timeout`,
# the seconds of libpq, and PGCONNECT_TIMEOUT do nothing: a server that accepts a connection and says no more is waited for. No error in any of
# them. Seen on Node 20.20.2, 2026-11-30, on a PostgreSQL 15.20 of its own.
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
npm install --silent --no-audit --no-fund --ignore-scripts pg@8.23.1 postgres@3.4.9
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import postgres from 'postgres';

const folder = process.argv[2];
const url = (parameters) => `postgres:///postgres?host=${encodeURIComponent(folder)}&user=postgres&${parameters}`;
const setting = (name) => `select current_setting('${name}') as value`;

async function show(name, parameters) {
  const client = new pg.Client(url(parameters));
  await client.connect();
  const { rows } = await client.query(setting(name));
  await client.end();
  console.log(`pg, ${decodeURIComponent(parameters)}: ${rows[0].value}`);
}
await show('statement_timeout', 'statement_timeout=5000');
await show('statement_timeout', 'statement_timeout=5s');
await show('lock_timeout', 'lock_timeout=2min');
await show('statement_timeout', 'options=-c%20statement_timeout%3D5s');

const sql = postgres('postgres://postgres@localhost/postgres?statement_timeout=5s', { path: `${folder}/.s.PGSQL.5432` });
const [row] = await sql.unsafe(setting('statement_timeout'));
console.log(`postgres, statement_timeout=5s: ${row.value}`);
await sql.end();

const silent = createServer(() => undefined).listen(0, '127.0.0.1');
await once(silent, 'listening');
process.env.PGCONNECT_TIMEOUT = '2';
const client = new pg.Client(`postgres://postgres@127.0.0.1:${silent.address().port}/postgres?connect_timeout=2`);
const connected = client.connect().then(
  () => 'connected',
  () => 'given up',
);
console.log(`pg, connect_timeout=2, after 5 s: ${await Promise.race([connected, sleep(5_000, 'waiting')])}`);
process.exit();
SHOW
cat >expected <<'SEEN'
pg, statement_timeout=5000: 5s
pg, statement_timeout=5s: 5ms
pg, lock_timeout=2min: 2ms
pg, options=-c statement_timeout=5s: 5s
postgres, statement_timeout=5s: 5s
pg, connect_timeout=2, after 5 s: waiting
SEEN
TZ=UTC node show.mjs "$folder/data" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
