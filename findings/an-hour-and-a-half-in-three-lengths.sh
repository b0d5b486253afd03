#!/usr/bin/env bash
# One text in several lengths. `1M` is a minute to ms 2.1.3, parse-duration 2.1.9, timestring 7.0.0, jsonwebtoken 9.0.3 and PostgreSQL 18 (PGlite
# 0.5.17), which read letters of either case, and a month to systemd 252 and dayjs 1.11.23, to which the case is all: a token for a month that ends
# after a minute. And `1h30`, an hour and a half, is 90 minutes to parse-duration alone: PostgreSQL and systemd take the 30 for seconds, timestring
# for nothing, and none says so. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts ms@2.1.3 parse-duration@2.1.9 jsonwebtoken@9.0.3 @electric-sql/pglite@0.5.17 dayjs@1.11.23 timestring@7.0.0
cat >show.mjs <<'SHOW'
import { execFileSync } from 'node:child_process';
import { PGlite } from '@electric-sql/pglite';
import dayjs from 'dayjs';
import duration from 'dayjs/plugin/duration.js';
import jwt from 'jsonwebtoken';
import ms from 'ms';
import parseDuration from 'parse-duration';
import timestring from 'timestring';

dayjs.extend(duration);
const database = new PGlite();
const readers = {
  ms: (text) => ms(text) / 1_000,
  'parse-duration': (text) => parseDuration(text) / 1_000,
  timestring: (text) => timestring(text),
  jsonwebtoken: (text) => {
    const { iat, exp } = jwt.decode(jwt.sign({}, 'secret', { expiresIn: text }));
    return exp - iat;
  },
  dayjs: (text) => dayjs.duration(1, text.slice(1)).asSeconds(),
  PostgreSQL: async (text) => (await database.query('select extract(epoch from $1::text::interval)::int as n', [text])).rows[0].n,
  systemd: (text) => Number(/μs: (\d+)/.exec(execFileSync('systemd-analyze', ['timespan', text], { encoding: 'utf8' }))[1]) / 1e6,
};
for (const text of ['1M', '1h30']) {
  for (const [name, read] of Object.entries(readers)) {
    let value;
    try {
      value = await read(text);
    } catch {
      value = 'an error';
    }
    console.log(`${text}, ${name}: ${Number.isNaN(value) ? 'NaN' : value}${Number(value) > 0 ? ' s' : ''}`);
  }
}
process.exit();
SHOW
cat >expected <<'SEEN'
1M, ms: 60 s
1M, parse-duration: 60 s
1M, timestring: 60 s
1M, jsonwebtoken: 60 s
1M, dayjs: 2628000 s
1M, PostgreSQL: 60 s
1M, systemd: 2629800 s
1h30, ms: NaN
1h30, parse-duration: 5400 s
1h30, timestring: 3600 s
1h30, jsonwebtoken: an error
1h30, dayjs: NaN
1h30, PostgreSQL: 3630 s
1h30, systemd: 3630 s
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
