#!/usr/bin/env bash
# Readers of durations that lose a unit or a sign in silence. itty-time 2.0.2 takes "5 min" as 5 ms, because it knows minutes only by
# their whole name. timestring 7.0.0 takes "1µs" as one second and "-1s" as 1000 ms. parse-duration 2.1.9 takes "1:30" as about one
# millisecond, and "1d-2h" as 26 hours. A delay of that is none, or a wait that nobody meant. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts itty-time@2.0.2 timestring@7.0.0 parse-duration@2.1.9
cat >show.mjs <<'SHOW'
import { ms } from 'itty-time';
import parseDuration from 'parse-duration';
import timestring from 'timestring';

console.log('itty-time', ms('5 minutes'), ms('5 min'));
console.log('timestring', timestring('1µs', 'ms'), timestring('-1s', 'ms'));
console.log('parse-duration', parseDuration('1:30'), parseDuration('1d-2h') / 3_600_000);
SHOW
cat >expected <<'SEEN'
itty-time 300000 5
timestring 1000 1000
parse-duration 1.03 26
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
