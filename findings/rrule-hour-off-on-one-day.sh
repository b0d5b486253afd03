#!/usr/bin/env bash
# Rules of RFC 5545 on the day on which clocks change. rrule 2.8.1 with a `TZID`: each day at 06:00 in New York is 07:00 on that day in spring, and 03:00
# is 02:00 in autumn; of the hours of Berlin it has one instant twice in spring, and leaves one out in autumn. rrule-temporal 2.2.8 has those days
# right, and leaves out the second of the two autumn hours of one name. The process is in UTC, where what rrule returns are instants by its
# README. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts rrule@2.8.1 rrule-temporal@2.2.8
cat >show.mjs <<'SHOW'
import rrule from 'rrule';
import { RRuleTemporal } from 'rrule-temporal';

const starts = [
  ['America/New_York', '20260307T060000', 'FREQ=DAILY;COUNT=3'],
  ['America/New_York', '20261031T030000', 'FREQ=DAILY;COUNT=3'],
  ['Europe/Berlin', '20260329T000000', 'FREQ=HOURLY;COUNT=4'],
  ['Europe/Berlin', '20261025T000000', 'FREQ=HOURLY;COUNT=4'],
];
for (const [zone, start, rule] of starts) {
  const text = `DTSTART;TZID=${zone}:${start}\nRRULE:${rule}`;
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const show = (dates) =>
    dates.map((date) => `${local.format(date).slice(5)} (${date.toISOString().slice(11, 16)}Z)`).join(', ');
  console.log(`${rule} from ${start} in ${zone}`);
  console.log(`  rrule          ${show(rrule.rrulestr(text).all())}`);
  const instants = new RRuleTemporal({ rruleString: text }).all().map((at) => new Date(at.epochMilliseconds));
  console.log(`  rrule-temporal ${show(instants)}`);
}
SHOW
cat >expected <<'SEEN'
FREQ=DAILY;COUNT=3 from 20260307T060000 in America/New_York
  rrule          03-07 06:00 (11:00Z), 03-08 07:00 (11:00Z), 03-09 06:00 (10:00Z)
  rrule-temporal 03-07 06:00 (11:00Z), 03-08 06:00 (10:00Z), 03-09 06:00 (10:00Z)
FREQ=DAILY;COUNT=3 from 20261031T030000 in America/New_York
  rrule          10-31 03:00 (07:00Z), 11-01 02:00 (07:00Z), 11-02 03:00 (08:00Z)
  rrule-temporal 10-31 03:00 (07:00Z), 11-01 03:00 (08:00Z), 11-02 03:00 (08:00Z)
FREQ=HOURLY;COUNT=4 from 20260329T000000 in Europe/Berlin
  rrule          03-29 00:00 (23:00Z), 03-29 00:00 (23:00Z), 03-29 01:00 (00:00Z), 03-29 03:00 (01:00Z)
  rrule-temporal 03-29 00:00 (23:00Z), 03-29 01:00 (00:00Z), 03-29 03:00 (01:00Z), 03-29 04:00 (02:00Z)
FREQ=HOURLY;COUNT=4 from 20261025T000000 in Europe/Berlin
  rrule          10-25 00:00 (22:00Z), 10-25 02:00 (00:00Z), 10-25 02:00 (01:00Z), 10-25 03:00 (02:00Z)
  rrule-temporal 10-25 00:00 (22:00Z), 10-25 01:00 (23:00Z), 10-25 02:00 (00:00Z), 10-25 03:00 (02:00Z)
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
