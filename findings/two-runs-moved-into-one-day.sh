#!/usr/bin/env bash
# Schedules that lose a day on their way to another time zone. crontzconvert 1.1.1 moves hours and days of a cron expression: 20:00 on Mondays in UTC is
# 05:00 on Tuesdays in Tokyo. Of several hours of which some pass midnight it moves the hours and not the day: "08:00 and 20:00 on Mondays" is 17:00 and
# 05:00 on Mondays, the latter a day early, and "each hour from 09:00 to 17:00, Monday to Friday" gains three hours on Monday and loses Saturday's three.
# The 31st becomes each 1st, after shorter months too. No error. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts crontzconvert@1.1.1 cron-parser@5.10.6
cat >show.mjs <<'SHOW'
import { CronExpressionParser } from 'cron-parser';
import crontzconvert from 'crontzconvert';

const year = { currentDate: new Date('2026-01-01T00:00:00Z'), endDate: new Date('2027-01-01T00:00:00Z') };
const runs = (text, tz) => {
  const schedule = CronExpressionParser.parse(text, { ...year, tz });
  const instants = [];
  while (schedule.hasNext()) instants.push(schedule.next().toISOString());
  return new Set(instants);
};
for (const text of ['0 20 * * 1', '0 8,20 * * 1', '0 9-17 * * 1-5', '0 8,20 1 * *', '0 20 31 * *']) {
  const moved = crontzconvert.convert(text, 'UTC', 'Asia/Tokyo');
  const before = runs(text, 'UTC');
  const after = runs(moved, 'Asia/Tokyo');
  const lost = [...before].filter((instant) => !after.has(instant)).length;
  const gained = [...after].filter((instant) => !before.has(instant)).length;
  console.log(`${text} (UTC) is ${moved} (Tokyo): of ${before.size} runs a year ${lost} are gone and ${gained} new`);
}
SHOW
cat >expected <<'SEEN'
0 20 * * 1 (UTC) is 0 0 5 * * 2 (Tokyo): of 52 runs a year 0 are gone and 0 new
0 8,20 * * 1 (UTC) is 0 0 5,17 * * 1 (Tokyo): of 104 runs a year 52 are gone and 52 new
0 9-17 * * 1-5 (UTC) is 0 0 0-2,18-23 * * 1-5 (Tokyo): of 2349 runs a year 156 are gone and 156 new
0 8,20 1 * * (UTC) is 0 0 5,17 1 * * (Tokyo): of 24 runs a year 12 are gone and 12 new
0 20 31 * * (UTC) is 0 0 5 1 * * (Tokyo): of 7 runs a year 0 are gone and 5 new
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
