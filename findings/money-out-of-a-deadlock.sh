#!/usr/bin/env bash
# Money out of a deadlock. MariaDB 10.11.19 ends a deadlock by rolling back all of one of its transactions, and its connection is then in none:
# what follows is committed statement by statement. A retry of the statement that failed, here by p-retry 7.1.1 around a query of mysql2 3.24.6,
# goes well, and so does the COMMIT, which has nothing to commit. Of a transfer the first half is gone and the second is done, and nothing says so.
# PostgreSQL refuses what follows until there is a ROLLBACK. The whole transaction is what may be repeated. Seen on Node 20.20.2, 2026-11-30, on a
# server of its own.
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
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import pRetry from 'p-retry';

const server = { socketPath: process.argv[2], user: 'root' };
const transfer = await mysql.createConnection(server);
const other = await mysql.createConnection(server);
await transfer.query('create database bank');
for (const connection of [transfer, other]) await connection.query('use bank');
await transfer.query('create table accounts (name varchar(9) primary key, cents int) engine = InnoDB');
await transfer.query("insert into accounts values ('alice', 100), ('bob', 0), ('c', 0), ('d', 0), ('e', 0), ('f', 0)");
const add = (connection, name, cents) => connection.query('update accounts set cents = cents + ? where name = ?', [cents, name]);

// The other transaction has changed more, so that the server gives up the transfer.
await other.beginTransaction();
for (const name of ['c', 'd', 'e', 'f', 'bob']) await add(other, name, 1);
await transfer.beginTransaction();
await add(transfer, 'alice', -10);
const waiting = add(other, 'alice', 1).then(() => other.rollback());
await sleep(1_000);

const reported = [];
const onFailedAttempt = ({ error }) => reported.push(error.code);
const [{ affectedRows }] = await pRetry(() => add(transfer, 'bob', 10), { minTimeout: 100, onFailedAttempt });
await transfer.commit();
await waiting;
console.log(`failed once: ${reported}, then ${affectedRows} row changed, and COMMIT went well`);
const [rows] = await other.query("select name, cents from accounts where name in ('alice', 'bob')");
console.log(`ten cents from alice to bob: ${rows.map(({ name, cents }) => `${name} has ${cents}`).join(', ')}`);
await Promise.all([transfer.end(), other.end()]);
SHOW
cat >expected <<'SEEN'
failed once: ER_LOCK_DEADLOCK, then 1 row changed, and COMMIT went well
ten cents from alice to bob: alice has 100, bob has 10
SEEN
TZ=UTC node show.mjs "$folder/sql.sock" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
