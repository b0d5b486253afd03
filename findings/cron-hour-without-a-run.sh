#!/usr/bin/env bash
# In the night in which clocks go back an hourly job of effect 3.22.4 (`Cron`) or cron-schedule 6.0.0 pauses for two hours: after 01:00 in
# daylight time comes 02:00, as the second 01:00 has the same letters. What renews a lease or beats a heart by such a schedule is
# late by an hour, and `*/30` pauses for 90 minutes. cron-parser 5.10.6 runs each hour. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts effect@3.22.4 cron-schedule@6.0.0 cron-parser@5.10.6
cat >show.mjs <<'SHOW'
import { CronExpressionParser } from 'cron-parser';
import { parseCronExpression } from 'cron-schedule';
import * as Cron from 'effect/Cron';

const tz = 'America/New_York';
process.env.TZ = tz; // cron-schedule has the zone of the process
const from = new Date('2026-11-01T04:30:00Z');

function effect(text) {
  const cron = Cron.unsafeParse(text, tz);
  let at = from;
  return () => {
    at = Cron.next(cron, at);
    return at;
  };
}
function parser(text) {
  const iterator = CronExpressionParser.parse(text, { currentDate: from, tz });
  return () => iterator.next().toDate();
}
function schedule(text) {
  const dates = parseCronExpression(text).getNextDatesIterator(from);
  return () => dates.next().value;
}

for (const text of ['0 * * * *', '*/30 * * * *']) {
  console.log(text);
  for (const [name, start] of Object.entries({ effect, 'cron-schedule': schedule, 'cron-parser': parser })) {
    const next = start(text);
    const runs = Array.from({ length: 6 }, () => next().getTime());
    const minutes = runs.slice(1).map((at, index) => (at - runs[index]) / 60_000);
    console.log(`  ${name.padEnd(13)} minutes between runs: ${minutes.join(' ')}`);
  }
}
SHOW
cat >expected <<'SEEN'
0 * * * *
  effect        minutes between runs: 120 60 60 60 60
  cron-schedule minutes between runs: 120 60 60 60 60
  cron-parser   minutes between runs: 60 60 60 60 60
*/30 * * * *
  effect        minutes between runs: 30 90 30 30 30
  cron-schedule minutes between runs: 30 90 30 30 30
  cron-parser   minutes between runs: 30 30 30 30 30
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
