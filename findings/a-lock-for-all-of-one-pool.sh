#!/usr/bin/env bash
# A lock that all of one pool get. An advisory lock of PostgreSQL 15 belongs to a connection, which gets it again as often as it asks. Two jobs of a
# process that ask by `pool.query` of pg 8.23.1 get the same idle connection, and the lock both: it keeps other processes out, and not the second run
# in its own. It is released by the connection that has it alone: if that is at work just then, another one is asked, which answers false, and the
# lock stays until the process ends, though no job runs. On a client of its own, or by `pg_advisory_xact_lock` in a transaction, a lock is one. Seen
# on Node 20.20.2, 2026-11-30, on a PostgreSQL 15.20 of its own.
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
import pg from 'pg';

const pool = new pg.Pool({ host: process.argv[2], user: 'postgres', database: 'postgres', max: 5 });
const other = new pg.Client({ host: process.argv[2], user: 'postgres', database: 'postgres' });
await other.connect();
const lock = async (on) => (await on.query('select pg_try_advisory_lock(7) as got')).rows[0].got;
const unlock = async (on) => (await on.query('select pg_advisory_unlock(7) as gone')).rows[0].gone;
const gone = (was) => (was ? 'is released' : 'cannot be released');

console.log(`the first job of a process gets the lock: ${await lock(pool)}`);
console.log(`the second job of it, meanwhile, too: ${await lock(pool)}`);
console.log(`another process: ${await lock(other)}`);

// What the process asks for meanwhile takes the connection that has the lock.
const report = pool.query('select pg_sleep(1)');
console.log(`while the process asks for a report, the lock ${gone(await unlock(pool))}, and a job gets it: ${await lock(pool)}`);
await report;
console.log(`when all jobs have ended, another process: ${await lock(other)}`);
process.exit();
SHOW
cat >expected <<'SEEN'
the first job of a process gets the lock: true
the second job of it, meanwhile, too: true
another process: false
while the process asks for a report, the lock cannot be released, and a job gets it: false
when all jobs have ended, another process: false
SEEN
TZ=UTC node show.mjs "$folder/data" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
