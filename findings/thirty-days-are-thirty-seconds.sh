#!/usr/bin/env bash
# An interval that counts as seconds after a copy. pg 8.23.1 reads an interval as an object of a class with a method that writes it. A copy of it
# (spread, `structuredClone`, JSON of a queue), or `{ days: 30 }` by hand, has no such method and is sent as JSON, and PostgreSQL 15 reads
# `{"days":30}` as 30 seconds, `{"hours":1,"minutes":30}` as 90: the numbers without their units. No error, and a clean-up of what is older keeps
# half a minute. PostgreSQL 18 (PGlite 0.5.17) refuses the text. Seen on Node 20.20.2, 2026-11-30, on a PostgreSQL 15.20 of its own.
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
npm install --silent --no-audit --no-fund --ignore-scripts pg@8.23.1 @electric-sql/pglite@0.5.17
cat >show.mjs <<'SHOW'
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

const client = new pg.Client({ host: process.argv[2], user: 'postgres', database: 'postgres' });
await client.connect();
const { rows } = await client.query("select interval '30 days' as kept");
const { kept } = rows[0];
const values = {
  'as it was read': kept,
  'a spread': { ...kept },
  'through JSON': JSON.parse(JSON.stringify(kept)),
  'by hand, { hours: 1, minutes: 30 }': { hours: 1, minutes: 30 },
};
for (const [name, value] of Object.entries(values)) {
  const read = await client.query('select $1::interval::text as read', [value]);
  console.log(`${name}: ${read.rows[0].read}`);
}
await client.end();
const refusal = await new PGlite().query('select $1::interval', [JSON.stringify(kept)]).catch((error) => error.code);
console.log(`PostgreSQL 18: ${refusal}`);
SHOW
cat >expected <<'SEEN'
as it was read: 30 days
a spread: 00:00:30
through JSON: 00:00:30
by hand, { hours: 1, minutes: 30 }: 00:01:30
PostgreSQL 18: 22007
SEEN
TZ=UTC node show.mjs "$folder/data" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
