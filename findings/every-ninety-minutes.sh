#!/usr/bin/env bash
# "Every 90 minutes" is every hour. cronstrue 3.39.0 gives this description to `*/90 * * * *`, and @breejs/later 4.2.0 (the schedules of
# Bree) reads the words as minute 0 of each hour without an error; "every 36 hours" is every day. cron-parser 5.10.6 takes the pattern
# and fires hourly too. croner 11.0.1 refuses a step that is greater than its field. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cronstrue@3.39.0 @breejs/later@4.2.0 cron-parser@5.10.6 croner@11.0.1
cat >show.mjs <<'SHOW'
import later from '@breejs/later';
import { CronExpressionParser } from 'cron-parser';
import { Cron } from 'croner';
import cronstrue from 'cronstrue';

const from = new Date('2026-01-01T01:30:00Z');
const instants = (dates) => dates.map((date) => date.toISOString().slice(5, 16)).join(' ');

for (const text of ['*/90 * * * *', '0 */36 * * *']) {
  const parser = CronExpressionParser.parse(text, { currentDate: from, tz: 'UTC' });
  console.log(`${text} is "${cronstrue.toString(text)}"`);
  console.log(`  cron-parser ${instants([1, 2, 3].map(() => parser.next().toDate()))}`);
  try {
    console.log(`  croner      ${instants(new Cron(text, { timezone: 'UTC' }).nextRuns(3, from))}`);
  } catch {
    console.log('  croner      an error');
  }
}
for (const words of ['every 90 minutes', 'every 36 hours']) {
  const parsed = later.parse.text(words);
  const next = later.schedule(parsed).next(3, from);
  console.log(`"${words}", ${parsed.error < 0 ? 'no error' : 'an error'}\n  later       ${instants(next)}`);
}
SHOW
cat >expected <<'SEEN'
*/90 * * * * is "Every 90 minutes"
  cron-parser 01-01T02:00 01-01T03:00 01-01T04:00
  croner      an error
0 */36 * * * is "On the hour, every 36 hours"
  cron-parser 01-02T00:00 01-03T00:00 01-04T00:00
  croner      an error
"every 90 minutes", no error
  later       01-01T02:00 01-01T03:00 01-01T04:00
"every 36 hours", no error
  later       01-02T00:00 01-03T00:00 01-04T00:00
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
