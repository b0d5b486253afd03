#!/usr/bin/env bash
# A deadline that counts from the wrong instant. plainjob 0.0.14 gives a job back to the queue when its `timeout` is over, for workers that died,
# but counts from when the job was due, not from when it was started: one that waited longer than that is given away as soon as it runs,
# and a second worker runs it beside the first, just when the queue is long. A job of a yearly cron runs at once when it is scheduled,
# and changed to each minute it keeps its next run, months away. Seen on Node 20.20.2, 2026-11-29, on libsql 0.5.29, which has the
# interface of better-sqlite3.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts plainjob@0.0.14 libsql@0.5.29
cat >show.mjs <<'SHOW'
import Database from 'libsql';
import { better, defineQueue, defineWorker } from 'plainjob';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const nothing = () => undefined;
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

async function show(name, waitMs) {
  const queue = defineQueue({ connection: better(new Database(':memory:')), timeout: 2_000, maintenanceInterval: 100, logger });
  let runs = 0;
  let running = 0;
  let most = 0;
  queue.add('mail', {});
  await sleep(waitMs);
  const work = async () => {
    runs += 1;
    running += 1;
    most = Math.max(most, running);
    await sleep(800);
    running -= 1;
  };
  for (let index = 0; index < 2; index += 1) {
    void defineWorker('mail', work, { queue, logger, pollIntervall: 50 }).start();
  }
  await sleep(1_200);
  console.log(`${name}: ${runs > 1 ? 'run again' : 'run once'}, at the same time ${most}`);
}
await show('started when it is due', 0);
await show('waited for longer than the timeout', 2_300);

const queue = defineQueue({ connection: better(new Database(':memory:')), logger });
const isFarAway = () => queue.getScheduledJobs()[0].nextRunAt - Date.now() > 120_000;
let runs = 0;
const count = async () => {
  runs += 1;
};
const inHalfAYear = ((new Date().getUTCMonth() + 6) % 12) + 1;
queue.schedule('report', { cron: `0 3 1 ${inHalfAYear} *` });
void defineWorker('report', count, { queue, logger, pollIntervall: 50 }).start();
await sleep(600);
console.log(`once a year: runs in the first moment ${runs}, next one far away: ${isFarAway()}`);
queue.schedule('report', { cron: '* * * * *' });
await sleep(600);
console.log(`changed to each minute: next one far away: ${isFarAway()}`);
process.exit();
SHOW
cat >expected <<'SEEN'
started when it is due: run once, at the same time 1
waited for longer than the timeout: run again, at the same time 2
once a year: runs in the first moment 1, next one far away: true
changed to each minute: next one far away: true
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
