#!/usr/bin/env bash
# A second BEGIN is a COMMIT. When a lock is not free in time, MariaDB 10.11.19 says "try restarting transaction" and undoes that statement alone: what
# the transaction has changed before it is still there, and open. A retry that restarts it, here p-retry 7.1.1 around `beginTransaction` … `commit` of
# mysql2 3.24.6, commits that by its BEGIN, without a word, and does it once more: a transfer of ten cents that waited twice for its second account
# takes thirty and brings ten. With a ROLLBACK before each retry it takes ten. After a deadlock the server has rolled back by itself, so that a test
# with one goes well. Seen on Node 20.20.2, 2026-12-01, on a server of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${server:-}" 2>/dev/null && wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts mysql2@3.24.6 p-retry@7.1.1
mariadb-install-db --no-defaults --datadir="$folder/data" --auth-root-authentication-method=normal --skip-test-db >/dev/null 2>&1
mariadbd --no-defaults --user="$(id -un)" --datadir="$folder/data" --socket="$folder/sql.sock" --pid-file="$folder/pid" --skip-networking >log 2>&1 &
server=$!
until [ -S "$folder/sql.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import mysql from 'mysql2/promise';
import pRetry from 'p-retry';

const server = { socketPath: process.argv[2], user: 'root' };
const transfer = await mysql.createConnection(server);
const other = await mysql.createConnection(server);
await transfer.query('create database bank');
for (const connection of [transfer, other]) await connection.query('use bank');
await transfer.query('set innodb_lock_wait_timeout = 1');
await transfer.query('create table accounts (name varchar(9) primary key, cents int) engine = InnoDB');
const add = (connection, name, cents) => connection.query('update accounts set cents = cents + ? where name = ?', [cents, name]);

async function show(name, undo) {
  await transfer.query("replace into accounts values ('alice', 100), ('bob', 0)");
  await other.beginTransaction();
  await add(other, 'bob', 0);
  const failures = [];
  const attempt = async () => {
    await transfer.beginTransaction();
    try {
      await add(transfer, 'alice', -10);
      await add(transfer, 'bob', 10);
    } catch (error) {
      await undo();
      throw error;
    }
    await transfer.commit();
  };
  const onFailedAttempt = async ({ error }) => {
    failures.push(error.code);
    if (failures.length === 2) await other.rollback();
  };
  await pRetry(attempt, { minTimeout: 10, factor: 1, onFailedAttempt });
  const [rows] = await other.query('select name, cents from accounts order by name');
  console.log(`${name}: ${failures.join(', ')}, then a success: ${rows.map(({ name, cents }) => `${name} has ${cents}`).join(', ')}`);
}
await show('begun again', () => undefined);
await show('rolled back, and begun again', () => transfer.rollback());
await Promise.all([transfer.end(), other.end()]);
SHOW
cat >expected <<'SEEN'
begun again: ER_LOCK_WAIT_TIMEOUT, ER_LOCK_WAIT_TIMEOUT, then a success: alice has 70, bob has 10
rolled back, and begun again: ER_LOCK_WAIT_TIMEOUT, ER_LOCK_WAIT_TIMEOUT, then a success: alice has 90, bob has 10
SEEN
TZ=UTC node show.mjs "$folder/sql.sock" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
