#!/usr/bin/env bash
# What is unknown is known in a list. postgres 3.4.9 (postgres.js) reads the NULL of an array as the text "NULL" by the reader of its type: in `text[]`
# it is the word 'NULL', in `boolean[]` false, in `integer[]` NaN, in `timestamptz[]` an invalid date. So it is in a list that it wrote itself, and in
# the `array_agg` of an outer join. A null of its own column is null, and pg 8.23.1 reads null in each. Seen on Node 20.20.2, 2026-11-30, on
# PGlite 0.5.14.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts postgres@3.4.9 pg@8.23.1 @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17
cat >show.mjs <<'SHOW'
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import pg from 'pg';
import postgres from 'postgres';

const database = await PGlite.create();
const server = new PGLiteSocketServer({ db: database, host: '127.0.0.1', port: 0 });
await server.start();
const port = Number(server.getServerConn().split(':').at(-1));
const connection = { host: '127.0.0.1', port, user: 'postgres', database: 'postgres' };

const queries = {
  'text[]': "select array['a', null] as value",
  'boolean[]': 'select array[true, null] as value',
  'integer[]': 'select array[1, null] as value',
  'timestamptz[]': "select array['2026-01-01Z'::timestamptz, null] as value",
  text: 'select null::text as value',
  'an outer join':
    "select array_agg(name) as value from (values (1)) run (id) left join (values (2, 'a')) job (id, name) using (id)",
};
const show = (value) => {
  if (Array.isArray(value)) return `[${value.map(show).join(', ')}]`;
  if (value instanceof Date) return `date ${value.toJSON()}`;
  return typeof value === 'string' ? `'${value}'` : String(value);
};
const client = new pg.Client(connection);
await client.connect();
const ofPg = {};
for (const [name, query] of Object.entries(queries)) ofPg[name] = (await client.query(query)).rows[0].value;
await client.end();

const sql = postgres({ ...connection, max: 1, onnotice: () => {} });
for (const [name, query] of Object.entries(queries)) {
  const [{ value }] = await sql.unsafe(query);
  console.log(`${name}: pg ${show(ofPg[name])}, postgres ${show(value)}`);
}
const [{ written }] = await sql`select ${['a', null]}::text[] as written`;
console.log(`written by postgres: [a, null], read ${show(written)}`);
await sql.end();
await server.stop();
await database.close();
SHOW
cat >expected <<'SEEN'
text[]: pg ['a', null], postgres ['a', 'NULL']
boolean[]: pg [true, null], postgres [true, false]
integer[]: pg [1, null], postgres [1, NaN]
timestamptz[]: pg [date 2026-01-01T00:00:00.000Z, null], postgres [date 2026-01-01T00:00:00.000Z, date null]
text: pg null, postgres null
an outer join: pg [null], postgres ['NULL']
written by postgres: [a, null], read ['a', 'NULL']
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
