#!/usr/bin/env bash
# An error that its retry hides. `retry: { max: 3 }` of sequelize 6.37.8 replaces its list of errors as well, so that every failing query is tried
# three times, at once. In a transaction of PostgreSQL 15 the second try says only that the transaction is aborted: a duplicate, which without the
# option is a UniqueConstraintError that code knows what to do about, is a DatabaseError with the code 25P02, of a transaction that has failed for a
# reason nobody learns; so are the deadlock and the serialization failure that would be worth a retry of the whole. Seen on Node 20.20.2, 2026-11-30,
# on a PostgreSQL 15.20 of its own.
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
npm install --silent --no-audit --no-fund --ignore-scripts pg@8.23.1 sequelize@6.37.8
cat >show.mjs <<'SHOW'
import { Sequelize } from 'sequelize';

const server = { dialect: 'postgres', username: 'postgres', database: 'postgres', host: process.argv[2] };
const options = { 'no retry': {}, 'retry: { max: 3 }': { retry: { max: 3 } } };
for (const [name, retry] of Object.entries(options)) {
  const statements = [];
  const sequelize = new Sequelize({ ...server, ...retry, logging: (text) => void statements.push(text) });
  await sequelize.query('drop table if exists users');
  await sequelize.query('create table users (name text primary key)');
  const insert = (transaction) => sequelize.query("insert into users values ('anna')", { transaction });
  await insert();
  for (const kind of ['alone', 'in a transaction']) {
    statements.length = 0;
    const call = kind === 'alone' ? insert() : sequelize.transaction(insert);
    const { name: error, parent } = await call.catch((thrown) => thrown);
    const times = statements.filter((text) => text.includes('insert')).length;
    console.log(`${name}, a duplicate ${kind}: ${times} times, then ${error} ${parent.code}`);
  }
}
process.exit();
SHOW
cat >expected <<'SEEN'
no retry, a duplicate alone: 1 times, then SequelizeUniqueConstraintError 23505
no retry, a duplicate in a transaction: 1 times, then SequelizeUniqueConstraintError 23505
retry: { max: 3 }, a duplicate alone: 3 times, then SequelizeUniqueConstraintError 23505
retry: { max: 3 }, a duplicate in a transaction: 3 times, then SequelizeDatabaseError 25P02
SEEN
TZ=UTC node show.mjs "$folder/data" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
