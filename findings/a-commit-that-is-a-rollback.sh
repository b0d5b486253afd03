#!/usr/bin/env bash
# A COMMIT that is a rollback, and no error. After a statement has failed PostgreSQL 15 has given up the whole transaction; if its error is caught and
# the work goes on, the COMMIT is answered by ROLLBACK, which is no error. pg 8.23.1, knex 3.3.0, drizzle-orm 0.45.4, sequelize 6.37.8 and pg-promise
# 12.7.1 resolve: here an order whose request had been noted already, which the code means to ignore, is not stored, and nobody is told. kysely 0.29.9
# and postgres 3.4.9 (postgres.js) reject. `on conflict do nothing`, or a savepoint, keeps the order. Seen on Node 20.20.2, 2026-11-30, on a
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
npm install --silent --no-audit --no-fund --ignore-scripts pg@8.23.1 postgres@3.4.9 knex@3.3.0 kysely@0.29.9 drizzle-orm@0.45.4 sequelize@6.37.8 pg-promise@12.7.1
cat >show.mjs <<'SHOW'
import { drizzle } from 'drizzle-orm/node-postgres';
import knex from 'knex';
import { Kysely, PostgresDialect, sql as kyselySql } from 'kysely';
import pg from 'pg';
import pgPromise from 'pg-promise';
import postgres from 'postgres';
import { Sequelize } from 'sequelize';

const server = { host: process.argv[2], user: 'postgres', database: 'postgres' };
const pool = new pg.Pool(server);
await pool.query('create table orders (id text primary key)');
await pool.query('create table seen (request text primary key)');
await pool.query("insert into seen values ('r1')");

// Each stores an order, and notes its request, which has been noted already: that is no failure to it.
const order = "insert into orders values ('o1')";
const note = "insert into seen values ('r1')";
const ignoreUnique = (error) => {
  if (![error.code, error.cause?.code, error.original?.code].includes('23505')) throw error;
};
const knexDb = knex({ client: 'pg', connection: server });
const kyselyDb = new Kysely({ dialect: new PostgresDialect({ pool }) });
const sequelize = new Sequelize({ dialect: 'postgres', username: 'postgres', database: 'postgres', host: server.host, logging: false });
const sql = postgres({ ...server, onnotice: () => undefined });
const drizzleDb = drizzle(pool);
const promised = pgPromise()(server);
const work = async (query) => {
  await query(order);
  await query(note).catch(ignoreUnique);
};
const transactions = {
  'BEGIN and COMMIT of pg': async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await work((text) => client.query(text));
    await client.query('COMMIT');
    client.release();
  },
  knex: () => knexDb.transaction((trx) => work((text) => Promise.resolve(trx.raw(text)))),
  kysely: () => kyselyDb.transaction().execute((trx) => work((text) => kyselySql.raw(text).execute(trx))),
  drizzle: () => drizzleDb.transaction((tx) => work((text) => Promise.resolve(tx.execute(text)))),
  sequelize: () => sequelize.transaction((transaction) => work((text) => sequelize.query(text, { transaction }))),
  'pg-promise': () => promised.tx((tx) => work((text) => Promise.resolve(tx.none(text)))),
  'postgres.js': () => sql.begin((tx) => work((text) => Promise.resolve(tx.unsafe(text)))),
};
for (const [name, transact] of Object.entries(transactions)) {
  const end = await transact().then(() => 'resolved', (error) => `rejected, ${error.message}`);
  const { rowCount } = await pool.query("delete from orders where id = 'o1'");
  console.log(`${name}: ${end}, and ${rowCount} orders are stored`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
BEGIN and COMMIT of pg: resolved, and 0 orders are stored
knex: resolved, and 0 orders are stored
kysely: rejected, Transaction was rolled back instead of committed, and 0 orders are stored
drizzle: resolved, and 0 orders are stored
sequelize: resolved, and 0 orders are stored
pg-promise: resolved, and 0 orders are stored
postgres.js: rejected, duplicate key value violates unique constraint "seen_pkey", and 0 orders are stored
SEEN
TZ=UTC node show.mjs "$folder/data" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
