#!/usr/bin/env bash
# A beat that drifts with each pause. A rule of rrule 2.8.1 for each 45 minutes within two hours of the day comes at 09:00, 09:45 and 10:30, and at
# 09:15 the next day: where it jumps over hours, minutes or days that the rule leaves out, it loses the count of its interval. 45 minutes after
# 45 minutes fall on 09:00 each day, as 24 hours are 32 of them. Each 20 minutes is right. No error; rrule-temporal 2.2.8 keeps the beat.
# Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts rrule@2.8.1 rrule-temporal@2.2.8
cat >show.mjs <<'SHOW'
import rrule from 'rrule';
import { RRuleTemporal } from 'rrule-temporal';

const rules = [
  ['FREQ=MINUTELY;INTERVAL=45;BYHOUR=9,10;COUNT=7', 60_000 * 45],
  ['FREQ=MINUTELY;INTERVAL=90;BYHOUR=9,10,11,12;COUNT=7', 60_000 * 90],
  ['FREQ=SECONDLY;INTERVAL=45;BYHOUR=10;COUNT=4', 45_000],
  ['FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10;COUNT=7', 60_000 * 20],
];
const start = Date.UTC(2026, 0, 1, 9);
for (const [rule, stepMs] of rules) {
  const text = `DTSTART:20260101T090000Z\nRRULE:${rule}`;
  const show = (instants) => {
    const offBeat = instants.filter((at) => (at - start) % stepMs !== 0).length;
    return `${instants.map((at) => new Date(at).toISOString().slice(9, 19)).join(' ')}: ${offBeat} off the beat`;
  };
  console.log(rule);
  console.log(`  rrule          ${show(rrule.rrulestr(text).all().map(Number))}`);
  console.log(`  rrule-temporal ${show(new RRuleTemporal({ rruleString: text }).all().map((at) => at.epochMilliseconds))}`);
}
SHOW
cat >expected <<'SEEN'
FREQ=MINUTELY;INTERVAL=45;BYHOUR=9,10;COUNT=7
  rrule          1T09:00:00 1T09:45:00 1T10:30:00 2T09:15:00 2T10:00:00 2T10:45:00 3T09:30:00: 4 off the beat
  rrule-temporal 1T09:00:00 1T09:45:00 1T10:30:00 2T09:00:00 2T09:45:00 2T10:30:00 3T09:00:00: 0 off the beat
FREQ=MINUTELY;INTERVAL=90;BYHOUR=9,10,11,12;COUNT=7
  rrule          1T09:00:00 1T10:30:00 1T12:00:00 2T09:30:00 2T11:00:00 2T12:30:00 3T10:00:00: 4 off the beat
  rrule-temporal 1T09:00:00 1T10:30:00 1T12:00:00 2T09:00:00 2T10:30:00 2T12:00:00 3T09:00:00: 0 off the beat
FREQ=SECONDLY;INTERVAL=45;BYHOUR=10;COUNT=4
  rrule          1T10:00:30 1T10:01:15 1T10:02:00 1T10:02:45: 4 off the beat
  rrule-temporal 1T10:00:00 1T10:00:45 1T10:01:30 1T10:02:15: 0 off the beat
FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10;COUNT=7
  rrule          1T09:00:00 1T09:20:00 1T09:40:00 1T10:00:00 1T10:20:00 1T10:40:00 2T09:00:00: 0 off the beat
  rrule-temporal 1T09:00:00 1T09:20:00 1T09:40:00 1T10:00:00 1T10:20:00 1T10:40:00 2T09:00:00: 0 off the beat
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
