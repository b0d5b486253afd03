#!/usr/bin/env bash
# cron-schedule 6.0.0 reads the number at the beginning of a field and ignores what follows it, without an error: `15W` (the weekday
# nearest to the 15th) is the 15th, `1#2` (the second Monday) every Monday, `5L` (the last Friday) every Friday, and the minutes `5/15`
# are minute 5 of each hour. cronosjs 1.7.1 reads the same text as it is meant. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cron-schedule@6.0.0 cronosjs@1.7.1
cat >show.mjs <<'SHOW'
import { parseCronExpression } from 'cron-schedule';
import { CronosExpression } from 'cronosjs';

const from = new Date('2026-01-01T00:00:00Z');
const instants = (dates) => dates.map((date) => date.toISOString().slice(5, 16)).join(' ');

for (const text of ['0 0 15W * *', '0 0 * * 1#2', '0 0 * * 5L', '5/15 * * * *']) {
  const ignoring = instants([...parseCronExpression(text).getNextDates(3, from)]);
  const reading = instants(CronosExpression.parse(text, { timezone: 'UTC' }).nextNDates(from, 3));
  console.log(`${text}\n  cron-schedule ${ignoring}\n  cronosjs      ${reading}`);
}
SHOW
cat >expected <<'SEEN'
0 0 15W * *
  cron-schedule 01-15T00:00 02-15T00:00 03-15T00:00
  cronosjs      01-15T00:00 02-16T00:00 03-16T00:00
0 0 * * 1#2
  cron-schedule 01-05T00:00 01-12T00:00 01-19T00:00
  cronosjs      01-12T00:00 02-09T00:00 03-09T00:00
0 0 * * 5L
  cron-schedule 01-02T00:00 01-09T00:00 01-16T00:00
  cronosjs      01-30T00:00 02-27T00:00 03-27T00:00
5/15 * * * *
  cron-schedule 01-01T00:05 01-01T01:05 01-01T02:05
  cronosjs      01-01T00:05 01-01T00:20 01-01T00:35
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
