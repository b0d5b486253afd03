#!/usr/bin/env bash
# A queue for one worker. `select … where state = 'ready' order by due limit 1 for update skip locked` is how a worker takes the next job out of a table.
# MariaDB 10.11.19 locks each row that it looks at, and to sort it has to look at all: without an index that has the order, the first of three workers
# gets a job and the lock on each other one, and the others are told that there is none, without an error, as long as it works on its own. More workers
# are no help, though ten jobs are due. So it is in `read committed`, too, and with an index of the state alone. With an index of the state and
# the order each of the three gets one. Seen on Node 20.20.2, 2026-11-30, with mysql2 3.24.6 on a server of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${server:-}" 2>/dev/null && wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts mysql2@3.24.6
mariadb-install-db --no-defaults --datadir="$folder/data" --auth-root-authentication-method=normal >/dev/null 2>&1
mariadbd --no-defaults --user="$(id -un)" --datadir="$folder/data" --socket="$folder/sql.sock" --pid-file="$folder/pid" --skip-networking >log 2>&1 &
server=$!
until [ -S "$folder/sql.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import mysql from 'mysql2/promise';

const pool = mysql.createPool({ socketPath: process.argv[2], user: 'root', database: 'test' });
const jobs = Array.from({ length: 10 }, (_, index) => [`job ${index + 1}`, 'ready', new Date(Date.UTC(2026, 0, 1, 0, index))]);
const next = "select name from jobs where state = 'ready' and due <= '2026-11-30' order by due limit 1 for update skip locked";

async function take(worker, isolation) {
  await worker.query(`set transaction isolation level ${isolation}`);
  await worker.beginTransaction();
  const [[job]] = await worker.query(next);
  return job?.name ?? 'none';
}
async function show(index, isolation) {
  await pool.query('drop table if exists jobs');
  await pool.query(`create table jobs (name varchar(9) primary key, state varchar(9), due datetime${index && `, index (${index})`}) engine = InnoDB`);
  await pool.query('insert into jobs values ?', [jobs]);
  const workers = await Promise.all([1, 2, 3].map(() => pool.getConnection()));
  const taken = [];
  for (const worker of workers) taken.push(await take(worker, isolation));
  console.log(`${isolation}, index of ${index || 'nothing'}: ${taken.join(', ')}`);
  for (const worker of workers) {
    await worker.rollback();
    worker.release();
  }
}
const [[{ version }]] = await pool.query('select version() as version');
console.log(version.replace(/-.*/, ''));
for (const isolation of ['repeatable read', 'read committed']) for (const index of ['', 'state', 'state, due']) await show(index, isolation);
process.exit();
SHOW
cat >expected <<'SEEN'
10.11.19
repeatable read, index of nothing: job 1, none, none
repeatable read, index of state: job 1, none, none
repeatable read, index of state, due: job 1, job 2, job 3
read committed, index of nothing: job 1, none, none
read committed, index of state: job 1, none, none
read committed, index of state, due: job 1, job 2, job 3
SEEN
TZ=UTC node show.mjs "$folder/sql.sock" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
