#!/usr/bin/env bash
# An end in another zone. By RFC 5545 a rule that begins in a time zone ends by an `UNTIL` in UTC, and so calendars write it. rrule 2.8.1 ignores the
# `Z` and compares the digits with the local time of the zone: a job at 08:00 in Tokyo loses its last day, and one at 07:00 in Los Angeles that ends
# with a day has one more. An `EXDATE` in UTC matches nothing in the same way, and the run that was cancelled is made. The end that it writes itself
# has no `Z`, and is refused by rrule-temporal 2.2.8, which reads the three rules as they are meant. The process is in UTC, where what rrule returns
# are instants by its README. Seen on Node 20.20.2, 2026-12-01.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts rrule@2.8.1 rrule-temporal@2.2.8
cat >show.mjs <<'SHOW'
import rrule from 'rrule';
import { RRuleTemporal } from 'rrule-temporal';

const cases = [
  ['08:00 in Tokyo, the last on the 7th', 'Asia/Tokyo', '20260105T080000', 'RRULE:FREQ=DAILY;UNTIL=20260106T230000Z'],
  ['07:00 in Los Angeles, to the end of the 7th', 'America/Los_Angeles', '20260105T070000', 'RRULE:FREQ=DAILY;UNTIL=20260108T075959Z'],
  ['08:00 in Tokyo, but not on the 6th', 'Asia/Tokyo', '20260105T080000', 'RRULE:FREQ=DAILY;COUNT=3\nEXDATE:20260105T230000Z'],
];
for (const [name, zone, start, rule] of cases) {
  const text = `DTSTART;TZID=${zone}:${start}\n${rule}`;
  const local = new Intl.DateTimeFormat('en', { timeZone: zone, day: 'numeric' });
  const show = (dates) => dates.map((date) => `${local.format(date)}`).join(', ');
  console.log(name);
  console.log(`  rrule          ${show(rrule.rrulestr(text).all())}`);
  console.log(`  rrule-temporal ${show(new RRuleTemporal({ rruleString: text }).all().map((at) => new Date(at.epochMilliseconds)))}`);
}
const [, , , rule] = cases[0];
const written = rrule.rrulestr(`DTSTART;TZID=Asia/Tokyo:20260105T080000\n${rule}`).toString();
console.log(`rrule writes ${written.split('\n')[1]}`);
try {
  new RRuleTemporal({ rruleString: written });
  console.log('  rrule-temporal takes it');
} catch {
  console.log('  rrule-temporal refuses it');
}
SHOW
cat >expected <<'SEEN'
08:00 in Tokyo, the last on the 7th
  rrule          5, 6
  rrule-temporal 5, 6, 7
07:00 in Los Angeles, to the end of the 7th
  rrule          5, 6, 7, 8
  rrule-temporal 5, 6, 7
08:00 in Tokyo, but not on the 6th
  rrule          5, 6, 7
  rrule-temporal 5, 7
rrule writes RRULE:FREQ=DAILY;UNTIL=20260106T230000
  rrule-temporal refuses it
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
