#!/usr/bin/env bash
# A time zone that a start takes away. A `RecurrenceRule` of node-schedule 2.1.1 has a `tz`, as its documentation shows, and a job may have a
# `start` or an `end` beside its rule. With both, the job has the `tz` beside the `start`, which is none, and writes that into the rule: "nine in
# New York" is nine of the machine, and so it is from then on for each job that is made of the same rule. A rule alone, or a `tz` in both places, is
# kept. Seen on Node 20.20.2, 2026-11-30, on a machine in UTC, with a start in 2040.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts node-schedule@2.1.1
cat >show.mjs <<'SHOW'
import schedule from 'node-schedule';

const tz = 'America/New_York';
const start = new Date('2040-01-10T00:00:00Z');
function createRule() {
  const rule = new schedule.RecurrenceRule();
  return Object.assign(rule, { hour: 9, minute: 0, tz });
}
const hourOf = (job) => `${job.nextInvocation().toISOString().slice(11, 16)} UTC`;

console.log(`rule alone: ${createRule().nextInvocationDate(start).toISOString().slice(11, 16)} UTC`);
console.log(`start and rule with tz: ${hourOf(schedule.scheduleJob({ start, rule: createRule() }, () => undefined))}`);
console.log(`start and tz, rule with tz: ${hourOf(schedule.scheduleJob({ start, tz, rule: createRule() }, () => undefined))}`);
console.log(`start and tz, rule as text: ${hourOf(schedule.scheduleJob({ start, tz, rule: '0 9 * * *' }, () => undefined))}`);
const shared = createRule();
schedule.scheduleJob({ start, rule: shared }, () => undefined);
console.log(`the tz of the rule afterwards: ${shared.tz}`);
process.exit();
SHOW
cat >expected <<'SEEN'
rule alone: 14:00 UTC
start and rule with tz: 09:00 UTC
start and tz, rule with tz: 14:00 UTC
start and tz, rule as text: 14:00 UTC
the tz of the rule afterwards: undefined
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
