#!/usr/bin/env bash
# Half a day is a day, or none. `add` of moment 2.31.0 and dayjs 1.11.23 rounds days and weeks that are not whole, up from a half: a delay of half a
# day is one of 24 hours, of a day and a half 48. date-fns 4.4.0 cuts them: half a day is no time, so that what should come back in twelve hours is
# due at once. luxon 3.7.2 takes half a day for twelve hours. Half a month is thirty days, fifteen, or none. Hours are right in all of them, and
# nothing is an error: a delay in days that is multiplied by a factor, or drawn, is another one. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts moment@2.31.0 dayjs@1.11.23 date-fns@4.4.0 luxon@3.7.2
cat >show.mjs <<'SHOW'
import { add } from 'date-fns';
import dayjs from 'dayjs';
import { DateTime } from 'luxon';
import moment from 'moment';

const start = new Date('2026-11-30T00:00:00Z');
const libraries = {
  moment: (amount, unit) => moment(start).add(amount, unit).valueOf(),
  dayjs: (amount, unit) => dayjs(start).add(amount, unit).valueOf(),
  'date-fns': (amount, unit) => add(start, { [unit]: amount }).getTime(),
  luxon: (amount, unit) => DateTime.fromJSDate(start).plus({ [unit]: amount }).toMillis(),
};
for (const [amount, unit] of [[0.5, 'hours'], [0.5, 'days'], [1.5, 'days'], [2.5, 'days'], [0.5, 'weeks'], [0.5, 'months']]) {
  const seen = Object.entries(libraries).map(([name, plus]) => `${name} ${(plus(amount, unit) - start) / 3_600_000} h`);
  console.log(`${amount} ${unit}: ${seen.join(', ')}`);
}
SHOW
cat >expected <<'SEEN'
0.5 hours: moment 0.5 h, dayjs 0.5 h, date-fns 0.5 h, luxon 0.5 h
0.5 days: moment 24 h, dayjs 24 h, date-fns 0 h, luxon 12 h
1.5 days: moment 48 h, dayjs 48 h, date-fns 24 h, luxon 36 h
2.5 days: moment 72 h, dayjs 72 h, date-fns 48 h, luxon 60 h
0.5 weeks: moment 96 h, dayjs 96 h, date-fns 72 h, luxon 84 h
0.5 months: moment 720 h, dayjs 0 h, date-fns 0 h, luxon 360 h
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
