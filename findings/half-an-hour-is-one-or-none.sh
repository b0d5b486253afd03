#!/usr/bin/env bash
# Half an hour is an hour, or none. An interval of MariaDB 10.11.19 is a whole number of its unit: `interval 0.5 hour` is rounded to an hour, and
# `interval '0.5' hour`, the same as a text, cut to none; 1.5 minutes, as mysql2 3.24.6 sends the number, are two. Only seconds have decimals. And a
# TIME ends at 838:59:59: a difference of two months is less than 35 days to `timediff`, and forty days are to `sec_to_time`, without an error. Of
# delays that SQL multiplies none is what it says. Seen on Node 20.20.2, 2026-11-30, on a server of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${server:-}" 2>/dev/null && wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts mysql2@3.24.6
mariadb-install-db --no-defaults --datadir="$folder/data" --auth-root-authentication-method=normal --skip-test-db >/dev/null 2>&1
mariadbd --no-defaults --user="$(id -un)" --datadir="$folder/data" --socket="$folder/sql.sock" --pid-file="$folder/pid" --skip-networking >log 2>&1 &
server=$!
until [ -S "$folder/sql.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import mysql from 'mysql2/promise';

const connection = await mysql.createConnection({ socketPath: process.argv[2], user: 'root', timezone: 'Z' });
const show = async (text, values) => {
  const [[row]] = await connection.query(`select cast(${text} as char) as value`, values);
  console.log(`${text}${values ? `, of ${values}` : ''}: ${row.value}`);
};
const at = "timestamp '2026-11-30 12:00:00'";
await show(`${at} + interval 0.5 hour`);
await show(`${at} + interval '0.5' hour`);
await show(`${at} + interval 1.5 minute`);
await show(`${at} + interval '1.5' minute`);
await show(`${at} + interval '1.5' second`);
const [[row]] = await connection.execute(`select cast(${at} + interval ? minute as char) as value`, [1.5]);
console.log(`execute of interval ? minute, of 1.5: ${row.value}`);
await show('sec_to_time(40 * 86400)');
await show("timediff('2026-11-30 00:00:00', '2026-09-30 00:00:00')");
await show("timediff('2026-11-30 00:00:00', '2026-09-30 00:00:00') > '1000:00:00'");
await show("timestampdiff(hour, '2026-09-30 00:00:00', '2026-11-30 00:00:00')");
await connection.end();
SHOW
cat >expected <<'SEEN'
timestamp '2026-11-30 12:00:00' + interval 0.5 hour: 2026-11-30 13:00:00
timestamp '2026-11-30 12:00:00' + interval '0.5' hour: 2026-11-30 12:00:00
timestamp '2026-11-30 12:00:00' + interval 1.5 minute: 2026-11-30 12:02:00
timestamp '2026-11-30 12:00:00' + interval '1.5' minute: 2026-11-30 12:01:00
timestamp '2026-11-30 12:00:00' + interval '1.5' second: 2026-11-30 12:00:01.500000
execute of interval ? minute, of 1.5: 2026-11-30 12:02:00
sec_to_time(40 * 86400): 838:59:59
timediff('2026-11-30 00:00:00', '2026-09-30 00:00:00'): 838:59:59
timediff('2026-11-30 00:00:00', '2026-09-30 00:00:00') > '1000:00:00': 0
timestampdiff(hour, '2026-09-30 00:00:00', '2026-11-30 00:00:00'): 1464
SEEN
TZ=UTC node show.mjs "$folder/sql.sock" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
