#!/usr/bin/env bash
# A yearly rule that is due each week. ical.js 2.2.1 reads two of the examples of RFC 5545, the 20th Monday of the year and the Monday of week 20,
# as each Monday; the last of the runs of a day or week (`BYSETPOS=-1`) as all of them; and a date that a year or month does not have as
# the first of the next month, which the RFC says is left out. No error, and most other rules are right. rrule 2.8.1 reads the
# same text as the RFC does. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts ical.js@2.2.1 rrule@2.8.1
cat >show.mjs <<'SHOW'
import ICAL from 'ical.js';
import rrule from 'rrule';

const days = {
  'FREQ=YEARLY;BYDAY=20MO': '1997-05-19',
  'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO': '1997-05-12',
  'FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=-1': '2026-01-02',
  'FREQ=DAILY;BYHOUR=9,12;BYSETPOS=-1': '2026-01-01',
  'FREQ=YEARLY': '2024-02-29',
  'FREQ=YEARLY;BYMONTH=1,6': '2026-01-31',
  'FREQ=MONTHLY;BYDAY=-1FR': '2026-01-30',
};
for (const [rule, day] of Object.entries(days)) {
  const iterator = ICAL.Recur.fromString(rule).iterator(ICAL.Time.fromString(`${day}T12:00:00`));
  const ofIcal = Array.from({ length: 3 }, () => iterator.next().toString());
  const start = `DTSTART:${day.replaceAll('-', '')}T120000Z`;
  const ofRrule = rrule.rrulestr(`${start}\nRRULE:${rule}`).all((_date, index) => index < 3);
  const short = (text) => text.slice(0, 13);
  console.log(rule);
  console.log(`  ical.js ${ofIcal.map(short).join(', ')}`);
  console.log(`  rrule   ${ofRrule.map((date) => short(date.toISOString())).join(', ')}`);
}
SHOW
cat >expected <<'SEEN'
FREQ=YEARLY;BYDAY=20MO
  ical.js 1997-05-19T12, 1997-05-26T12, 1997-06-02T12
  rrule   1997-05-19T12, 1998-05-18T12, 1999-05-17T12
FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO
  ical.js 1997-05-19T12, 1997-05-26T12, 1997-06-02T12
  rrule   1997-05-12T12, 1998-05-11T12, 1999-05-17T12
FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=-1
  ical.js 2026-01-02T12, 2026-01-05T12, 2026-01-09T12
  rrule   2026-01-02T12, 2026-01-09T12, 2026-01-16T12
FREQ=DAILY;BYHOUR=9,12;BYSETPOS=-1
  ical.js 2026-01-01T12, 2026-01-02T09, 2026-01-02T12
  rrule   2026-01-01T12, 2026-01-02T12, 2026-01-03T12
FREQ=YEARLY
  ical.js 2024-02-29T12, 2025-03-01T12, 2026-03-01T12
  rrule   2024-02-29T12, 2028-02-29T12, 2032-02-29T12
FREQ=YEARLY;BYMONTH=1,6
  ical.js 2026-01-31T12, 2026-07-01T12, 2027-01-31T12
  rrule   2026-01-31T12, 2027-01-31T12, 2028-01-31T12
FREQ=MONTHLY;BYDAY=-1FR
  ical.js 2026-01-30T12, 2026-02-27T12, 2026-03-27T12
  rrule   2026-01-30T12, 2026-02-27T12, 2026-03-27T12
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
