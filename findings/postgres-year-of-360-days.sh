#!/usr/bin/env bash
# PostgreSQL 18 (PGlite 0.5.17) has two lengths for a year. Compared with `=` or `<` a year is 360 days, so that 361 days are more than a year;
# `extract(epoch …)` makes it 365.25 days. The same two intervals have one order as intervals and the other as seconds. Of
# `interval '1.5' minute` only the whole minute is kept, while `interval '1.5 minutes'` is 90 seconds. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @electric-sql/pglite@0.5.17
cat >show.mjs <<'SHOW'
import { PGlite } from '@electric-sql/pglite';

const database = new PGlite();
const show = async (expression) => {
  const { rows } = await database.query(`select (${expression})::text as value`);
  console.log(`${expression}: ${rows[0].value}`);
};

await show(`interval '361 days' > interval '1 year'`);
await show(`interval '1 year' = interval '360 days'`);
await show(`extract(epoch from interval '361 days') > extract(epoch from interval '1 year')`);
await show(`(extract(epoch from interval '1 year') / 86400)::float`);
await show(`interval '1.5' minute`);
await show(`interval '1.5 minutes'`);
SHOW
cat >expected <<'SEEN'
interval '361 days' > interval '1 year': true
interval '1 year' = interval '360 days': true
extract(epoch from interval '361 days') > extract(epoch from interval '1 year'): false
(extract(epoch from interval '1 year') / 86400)::float: 365.25
interval '1.5' minute: 00:01:00
interval '1.5 minutes': 00:01:30
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
