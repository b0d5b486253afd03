#!/usr/bin/env bash
# A lock that is not waited for, and a retry that cannot go well. With `timeout: 3000` a write of libsql 0.5.29, which has SQLite's locks, waits
# for another writer for three seconds. In a transaction that has read it does not wait at all: it is SQLITE_BUSY at once. If the other one has
# committed by then, it is SQLITE_BUSY_SNAPSHOT, "database is locked", though nobody holds a lock, and so is each retry of the statement for as
# long as the transaction lives. `begin immediate` waits. What may be repeated is the transaction, not the statement. Seen on Node 20.20.2,
# 2026-11-30, in WAL mode.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts libsql@0.5.29
cat >show.mjs <<'SHOW'
import Database from 'libsql';

const open = () => new Database('jobs.db', { timeout: 3_000 });
const other = open();
other.exec('pragma journal_mode = wal');
other.exec('create table jobs (id)');
const own = open();
function run(sql) {
  const startedAt = Date.now();
  let end = 'goes well';
  try {
    own.exec(sql);
  } catch (error) {
    end = error.code;
  }
  return `${end} ${Date.now() - startedAt > 1_500 ? 'after a wait' : 'at once'}`;
}
const read = () => own.prepare('select count(*) from jobs').get();
const write = 'insert into jobs values (1)';

other.exec('begin immediate');
console.log(`another one writes; a write alone: ${run(write)}`);
console.log(`another one writes; begin immediate: ${run('begin immediate')}`);
own.exec('begin');
read();
console.log(`another one writes; a write after a read: ${run(write)}`);
own.exec('rollback');
other.exec('rollback');

own.exec('begin');
read();
other.exec(write);
console.log(`another one has written; a write after a read: ${run(write)}, again: ${run(write)}, again: ${run(write)}`);
own.exec('rollback');
console.log(`in a new transaction: ${run(write)}`);
SHOW
cat >expected <<'SEEN'
another one writes; a write alone: SQLITE_BUSY after a wait
another one writes; begin immediate: SQLITE_BUSY after a wait
another one writes; a write after a read: SQLITE_BUSY at once
another one has written; a write after a read: SQLITE_BUSY_SNAPSHOT at once, again: SQLITE_BUSY_SNAPSHOT at once, again: SQLITE_BUSY_SNAPSHOT at once
in a new transaction: goes well at once
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
