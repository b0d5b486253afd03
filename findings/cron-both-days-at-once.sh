#!/usr/bin/env bash
# The cron of Bree, @breejs/later 4.2.0, joins the day of the month and the day of the week by "and" where cron joins them by "or": a schedule
# for the 1st and for each Monday, `0 0 1 * MON`, runs on a 1st that is a Monday, four times in two years instead of some sixty times a
# year. cronstrue 3.39.0 describes it as "day 1 of the month, and on Monday", cron-parser 5.10.6 runs it so. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @breejs/later@4.2.0 cronstrue@3.39.0 cron-parser@5.10.6
cat >show.mjs <<'SHOW'
import later from '@breejs/later';
import { CronExpressionParser } from 'cron-parser';
import cronstrue from 'cronstrue';

const text = '0 0 1 * MON';
const from = new Date('2026-01-01T12:00:00Z');
const days = (dates) => dates.map((date) => date.toISOString().slice(0, 10)).join(' ');
const parser = CronExpressionParser.parse(text, { currentDate: from, tz: 'UTC' });

console.log(`${text}: ${cronstrue.toString(text)}`);
console.log(`  later       ${days(later.schedule(later.parse.cron(text)).next(5, from))}`);
console.log(`  cron-parser ${days(Array.from({ length: 5 }, () => parser.next().toDate()))}`);
SHOW
cat >expected <<'SEEN'
0 0 1 * MON: At 12:00 AM, on day 1 of the month, and on Monday
  later       2026-06-01 2027-02-01 2027-03-01 2027-11-01 2028-05-01
  cron-parser 2026-01-05 2026-01-12 2026-01-19 2026-01-26 2026-02-01
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
