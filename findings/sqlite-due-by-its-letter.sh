#!/usr/bin/env bash
# SQLite 3.54.1 (sql.js 1.17.0) has no type for instants, and two habits of it meet JavaScript badly. A due time that was stored by
# `toISOString()` is compared with `datetime('now')` as text, and "T" comes after the space: what is due today is due when the day is over,
# in UTC. And a difference of `julianday()` times 86400, cut to a whole number, makes a minute 59 seconds: of the first 200 whole
# minutes of a day about half are a second short. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts sql.js@1.17.0
cat >show.mjs <<'SHOW'
import initialize from 'sql.js';

const { Database } = await initialize();
const database = new Database();
const ask = (sql, ...values) => database.exec(sql, values)[0].values[0][0];

const due = new Date('2026-11-28T12:00:00Z').toISOString();
for (const now of ['2026-11-28 11:59:00', '2026-11-28 12:01:00', '2026-11-28 23:59:59', '2026-11-29 00:00:00']) {
  const isDue = (sql) => (ask(sql, due, now) === 1 ? 'due' : 'not due');
  const byText = isDue('select ? <= datetime(?)');
  console.log(`${due} at ${now}: ${byText}, by unixepoch: ${isDue('select unixepoch(?) <= unixepoch(?)')}`);
}

const seconds = 'select cast((julianday(?) - julianday(?)) * 86400 as integer)';
const at = (minute) => `2026-11-28 ${new Date(minute * 60_000).toISOString().slice(11, 19)}`;
const minutes = Array.from({ length: 200 }, (_, index) => index + 1);
const short = minutes.filter((minute) => ask(seconds, at(minute), at(0)) < minute * 60);
console.log(`one minute: ${ask(seconds, at(1), at(0))} s; of 200 differences ${short.length} are too short`);
SHOW
cat >expected <<'SEEN'
2026-11-28T12:00:00.000Z at 2026-11-28 11:59:00: not due, by unixepoch: not due
2026-11-28T12:00:00.000Z at 2026-11-28 12:01:00: not due, by unixepoch: due
2026-11-28T12:00:00.000Z at 2026-11-28 23:59:59: not due, by unixepoch: due
2026-11-28T12:00:00.000Z at 2026-11-29 00:00:00: due, by unixepoch: due
one minute: 59 s; of 200 differences 98 are too short
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
