#!/usr/bin/env bash
# Lists of the next runs that go back in time. Of `*/15 * * * *` in New York, croner 10.0.1 (`nextRuns`) and @datasert/cronjs-matcher 1.4.0
# (`getFutureMatches`) list 03:00 to 03:45 twice when clocks go forward, the same instants; when clocks go back, they leave out the
# repeated hour. Who submits a job for each entry has four too many in spring and four too few in autumn. croner 11.0.1 and
# cron-parser 5.10.6 list each once. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts croner@10.0.1 @datasert/cronjs-matcher@1.4.0 croner-11@npm:croner@11.0.1 cron-parser@5.10.6
cat >show.mjs <<'SHOW'
import { getFutureMatches } from '@datasert/cronjs-matcher';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import { Cron as Cron11 } from 'croner-11';

const text = '*/15 * * * *';
const timezone = 'America/New_York';
const local = new Intl.DateTimeFormat('en-US', {
  timeZone: timezone,
  hour: 'numeric',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
});
const times = (dates) => dates.map((date) => local.format(new Date(date)).replace(' ', '')).join(' ');

for (const startAt of ['2026-03-08T06:35:00Z', '2026-11-01T05:35:00Z']) {
  const from = new Date(startAt);
  const parser = CronExpressionParser.parse(text, { currentDate: from, tz: timezone });
  console.log(`after ${startAt}`);
  console.log(`  croner 10      ${times(new Cron(text, { timezone }).nextRuns(7, from))}`);
  console.log(
    `  cronjs-matcher ${times(getFutureMatches(text, { timezone, startAt, matchCount: 7, formatInTimezone: false }))}`,
  );
  console.log(`  croner 11      ${times(new Cron11(text, { timezone }).nextRuns(7, from))}`);
  console.log(`  cron-parser    ${times(Array.from({ length: 7 }, () => parser.next().toDate()))}`);
}
SHOW
cat >expected <<'SEEN'
after 2026-03-08T06:35:00Z
  croner 10      01:45EST 03:00EDT 03:15EDT 03:30EDT 03:45EDT 03:00EDT 03:15EDT
  cronjs-matcher 01:45EST 03:00EDT 03:15EDT 03:30EDT 03:45EDT 03:00EDT 03:15EDT
  croner 11      01:45EST 03:00EDT 03:15EDT 03:30EDT 03:45EDT 04:00EDT 04:15EDT
  cron-parser    01:45EST 03:00EDT 03:15EDT 03:30EDT 03:45EDT 04:00EDT 04:15EDT
after 2026-11-01T05:35:00Z
  croner 10      01:45EDT 02:00EST 02:15EST 02:30EST 02:45EST 03:00EST 03:15EST
  cronjs-matcher 01:45EDT 02:00EST 02:15EST 02:30EST 02:45EST 03:00EST 03:15EST
  croner 11      01:45EDT 01:00EST 01:15EST 01:30EST 01:45EST 02:00EST 02:15EST
  cron-parser    01:45EDT 01:00EST 01:15EST 01:30EST 01:45EST 02:00EST 02:15EST
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
