#!/usr/bin/env bash
# A duration that the driver reads as none. pg 8.23.1 parses one of the four styles in which PostgreSQL writes intervals. With
# `IntervalStyle` set to another on the server, or for the `infinity` that PostgreSQL 17 brought (PGlite 0.5.17 here), it returns an
# interval without any part, and no error; sent back as a parameter this is 0. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @electric-sql/pglite@0.5.17 pg@8.23.1
cat >show.mjs <<'SHOW'
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

const INTERVAL = 1186;
const database = new PGlite();
const parse = pg.types.getTypeParser(INTERVAL, 'text');

for (const [style, interval] of [
  ['postgres', '1 day 02:00:00'],
  ['sql_standard', '1 day 02:00:00'],
  ['postgres_verbose', '1 day 02:00:00'],
  ['iso_8601', '1 day 02:00:00'],
  ['postgres', 'infinity'],
]) {
  await database.exec(`set intervalstyle = '${style}'`);
  const { rows } = await database.query('select $1::interval::text as value', [interval]);
  const parsed = parse(rows[0].value);
  console.log(`${style}: ${rows[0].value} is ${JSON.stringify(parsed)}, sent back as ${parsed.toPostgres()}`);
}
SHOW
cat >expected <<'SEEN'
postgres: 1 day 02:00:00 is {"days":1,"hours":2}, sent back as 2 hours 1 days
sql_standard: 1 2:00:00 is {}, sent back as 0
postgres_verbose: @ 1 day 2 hours is {}, sent back as 0
iso_8601: P1DT2H is {}, sent back as 0
postgres: infinity is {}, sent back as 0
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
