#!/usr/bin/env bash
# A step is a star, or not. Where both days are given, cron takes a day that is either of them, unless one of them is a star: to the cron of Debian,
# by its crontab(5), a field with a `*` in it is, so that `0 0 */2 * MON` is due on Mondays with an odd number. effect 3.22.4 reads it so. To
# cron-parser 5.10.6, croner 11.0.1, cron 4.4.0, cron-schedule 6.0.0 and cronosjs 1.7.1 it is each second day and each Monday, some eight times as
# often. `1-31` is a star to cron and cron-schedule, and each day to the others. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cron-parser@5.10.6 croner@11.0.1 cron@4.4.0 cron-schedule@6.0.0 cronosjs@1.7.1 effect@3.22.4 luxon@3.7.2
cat >show.mjs <<'SHOW'
import { CronTime } from 'cron';
import { CronExpressionParser } from 'cron-parser';
import { parseCronExpression } from 'cron-schedule';
import { Cron } from 'croner';
import { CronosExpression } from 'cronosjs';
import { Cron as EffectCron, Either } from 'effect';
import { DateTime } from 'luxon';

const from = new Date('2026-11-29T00:00:00Z');
const iso = (dates) => dates.map((date) => new Date(date).toISOString().slice(5, 10)).join(', ');
const readers = {
  'cron-parser': (text) => {
    const parsed = CronExpressionParser.parse(text, { currentDate: from, tz: 'UTC' });
    return iso(Array.from({ length: 5 }, () => parsed.next().toDate()));
  },
  croner: (text) => iso(new Cron(text, { timezone: 'UTC' }).nextRuns(5, from)),
  cron: (text) => {
    let at = DateTime.fromJSDate(from, { zone: 'UTC' });
    const time = new CronTime(text, 'UTC');
    return iso(Array.from({ length: 5 }, () => (at = time.getNextDateFrom(at, 'UTC')).toMillis()));
  },
  'cron-schedule': (text) => iso(parseCronExpression(text).getNextDates(5, from)),
  cronosjs: (text) => iso(CronosExpression.parse(text, { timezone: 'UTC' }).nextNDates(from, 5)),
  effect: (text) => {
    const cron = Either.getOrThrow(EffectCron.parse(text, 'UTC'));
    const sequence = EffectCron.sequence(cron, from);
    return iso(Array.from({ length: 5 }, () => sequence.next().value));
  },
};
for (const text of ['0 0 */2 * MON', '0 0 1-31 * MON'])
  for (const [name, read] of Object.entries(readers)) console.log(`${text}, ${name}: ${read(text)}`);
SHOW
cat >expected <<'SEEN'
0 0 */2 * MON, cron-parser: 11-30, 12-01, 12-03, 12-05, 12-07
0 0 */2 * MON, croner: 11-30, 12-01, 12-03, 12-05, 12-07
0 0 */2 * MON, cron: 11-30, 12-01, 12-03, 12-05, 12-07
0 0 */2 * MON, cron-schedule: 11-30, 12-01, 12-03, 12-05, 12-07
0 0 */2 * MON, cronosjs: 11-30, 12-01, 12-03, 12-05, 12-07
0 0 */2 * MON, effect: 12-07, 12-21, 01-11, 01-25, 02-01
0 0 1-31 * MON, cron-parser: 11-30, 12-01, 12-02, 12-03, 12-04
0 0 1-31 * MON, croner: 11-30, 12-01, 12-02, 12-03, 12-04
0 0 1-31 * MON, cron: 11-30, 12-07, 12-14, 12-21, 12-28
0 0 1-31 * MON, cron-schedule: 11-30, 12-07, 12-14, 12-21, 12-28
0 0 1-31 * MON, cronosjs: 11-30, 12-01, 12-02, 12-03, 12-04
0 0 1-31 * MON, effect: 11-30, 12-01, 12-02, 12-03, 12-04
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
