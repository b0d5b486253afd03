#!/usr/bin/env bash
# A job of cron 4.4.0 for `0 2 * * *` in New York runs twice in the night in which clocks go back: at 01:00, an hour that the pattern
# does not have, and at 02:00. In the same way `0 */2 * * *` fires at 01:00 as well. It takes the end of daylight saving for its
# beginning, after which a missed hour has to be made good. croner 11.0.1 runs the job once. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cron@4.4.0 croner@11.0.1
cat >show.mjs <<'SHOW'
import { mock } from 'node:test';
import { CronJob } from 'cron';
import { Cron } from 'croner';

const zone = 'America/New_York';
const local = new Intl.DateTimeFormat('en-US', {
  timeZone: zone,
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
});

mock.timers.enable({ apis: ['Date', 'setTimeout'], now: new Date('2026-10-31T12:00:00Z') });
const runs = { cron: [], croner: [] };
CronJob.from({
  cronTime: '0 2 * * *',
  timeZone: zone,
  start: true,
  onTick: () => runs.cron.push(local.format(new Date())),
});
new Cron('0 2 * * *', { timezone: zone }, () => runs.croner.push(local.format(new Date())));
for (let minute = 0; minute < 48 * 60; minute += 5) mock.timers.tick(300_000);
for (const [name, instants] of Object.entries(runs)) console.log(`${name.padEnd(6)} ${instants.join(' | ')}`);
process.exit();
SHOW
cat >expected <<'SEEN'
cron   Nov 1, 01:00 EST | Nov 1, 02:00 EST | Nov 2, 02:00 EST
croner Nov 1, 02:00 EST | Nov 2, 02:00 EST
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
