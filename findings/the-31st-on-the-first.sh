#!/usr/bin/env bash
# Schedules in the cron of EventBridge on days that a month does not have. aws-cron-parser 1.1.12 counts on into the next month: the 31st of February
# is the 3rd of March, that of April the 1st of May, and the 29th of February the 1st of March in three of four years. `cron(0 0 31 * ? *)` has twelve
# runs a year instead of seven, without an error; its own `prev` finds none of the five. cron-parser 5.10.6 leaves such a month out.
# Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts aws-cron-parser@1.1.12 cron-parser@5.10.6
cat >show.mjs <<'SHOW'
import parser from 'aws-cron-parser';
import { CronExpressionParser } from 'cron-parser';

const { next, parse, prev } = parser.default ?? parser;
const days = (dates) => dates.map((date) => date.toISOString().slice(2, 10)).join(' ');
const walk = (step, schedule, from) => {
  const dates = [];
  for (let date = new Date(from); dates.length < 5; dates.push(date)) date = step(schedule, date);
  return days(dates);
};
for (const [text, unix] of [
  ['0 0 31 * ? *', '0 0 31 * *'],
  ['0 0 29 2 ? *', '0 0 29 2 *'],
  ['0 0 L * ? *', '0 0 L * *'],
]) {
  const other = CronExpressionParser.parse(unix, { currentDate: new Date('2026-01-01T12:00:00Z'), tz: 'UTC' });
  console.log(`cron(${text})`);
  console.log(`  next        ${walk(next, parse(text), '2026-01-01T12:00:00Z')}`);
  console.log(`  prev        ${walk(prev, parse(text), '2026-07-10T00:00:00Z')}`);
  console.log(`  cron-parser ${days(Array.from({ length: 5 }, () => other.next().toDate()))}`);
}
SHOW
cat >expected <<'SEEN'
cron(0 0 31 * ? *)
  next        26-01-31 26-03-03 26-03-31 26-05-01 26-05-31
  prev        26-05-31 26-03-31 26-01-31 25-12-31 25-10-31
  cron-parser 26-01-31 26-03-31 26-05-31 26-07-31 26-08-31
cron(0 0 29 2 ? *)
  next        26-03-01 27-03-01 28-02-29 29-03-01 30-03-01
  prev        26-03-01 25-03-01 24-02-29 23-03-01 22-03-01
  cron-parser 28-02-29 32-02-29 36-02-29 40-02-29 44-02-29
cron(0 0 L * ? *)
  next        26-01-31 26-02-28 26-03-31 26-04-30 26-05-31
  prev        26-06-30 26-05-31 26-04-30 26-03-31 26-02-28
  cron-parser 26-01-31 26-02-28 26-03-31 26-04-30 26-05-31
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
