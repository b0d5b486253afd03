#!/usr/bin/env bash
# Lord Howe Island moves its clocks by half an hour. cron-parser 5.10.6 fires `30 2 * * *` an hour late where New York has no 02:30, so no
# day is without its run; on Lord Howe it leaves out the day that has no 02:00, and of `*/15 * * * *` the real instants 02:30 and 02:45.
# It steps over a shift by whole hours. croner 11.0.1 loses none of them. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cron-parser@5.10.6 croner@11.0.1
cat >show.mjs <<'SHOW'
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';

function show(text, tz, start) {
  const from = new Date(start);
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone: tz, dateStyle: 'short', timeStyle: 'short' });
  const times = (dates) => dates.map((date) => local.format(date).slice(5)).join(' | ');
  const parser = CronExpressionParser.parse(text, { currentDate: from, tz });
  console.log(`${text} in ${tz}`);
  console.log(`  cron-parser ${times([1, 2, 3].map(() => parser.next().toDate()))}`);
  console.log(`  croner      ${times(new Cron(text, { timezone: tz }).nextRuns(3, from))}`);
}

show('30 2 * * *', 'America/New_York', '2026-03-07T05:00:00Z');
show('0 2 * * *', 'Australia/Lord_Howe', '2026-10-02T14:00:00Z');
show('*/15 * * * *', 'Australia/Lord_Howe', '2026-10-03T15:05:00Z');
SHOW
cat >expected <<'SEEN'
30 2 * * * in America/New_York
  cron-parser 03-07 02:30 | 03-08 03:30 | 03-09 02:30
  croner      03-07 02:30 | 03-08 03:00 | 03-09 02:30
0 2 * * * in Australia/Lord_Howe
  cron-parser 10-03 02:00 | 10-05 02:00 | 10-06 02:00
  croner      10-03 02:00 | 10-04 02:30 | 10-05 02:00
*/15 * * * * in Australia/Lord_Howe
  cron-parser 10-04 01:45 | 10-04 03:00 | 10-04 03:15
  croner      10-04 01:45 | 10-04 02:30 | 10-04 02:45
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
