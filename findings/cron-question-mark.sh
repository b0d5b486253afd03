#!/usr/bin/env bash
# In croner 10.0.1 a `?` for the day of the month is every day and still counts as a restriction: as the two day fields are joined by
# "or", `0 0 ? * MON` fires every day, where `0 0 * * MON` fires on Mondays. cron-parser 5.10.6 takes `?` as "no specific value", which
# is what schedules copied from Quartz, Spring or AWS mean by it. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts croner@10.0.1 cron-parser@5.10.6
cat >show.mjs <<'SHOW'
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';

const from = new Date('2026-01-01T00:00:00Z');
const days = (dates) => dates.map((date) => date.toISOString().slice(0, 10)).join(' ');

for (const text of ['0 0 * * MON', '0 0 ? * MON']) {
  const croner = days(new Cron(text, { timezone: 'UTC' }).nextRuns(3, from));
  const parser = CronExpressionParser.parse(text, { currentDate: from, tz: 'UTC' });
  console.log(`${text}\n  croner      ${croner}\n  cron-parser ${days([1, 2, 3].map(() => parser.next().toDate()))}`);
}
SHOW
cat >expected <<'SEEN'
0 0 * * MON
  croner      2026-01-05 2026-01-12 2026-01-19
  cron-parser 2026-01-05 2026-01-12 2026-01-19
0 0 ? * MON
  croner      2026-01-02 2026-01-03 2026-01-04
  cron-parser 2026-01-05 2026-01-12 2026-01-19
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
