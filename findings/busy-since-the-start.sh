#!/usr/bin/env bash
# A measure of load that is an average of the whole life. The `maxEventLoopUtilization` of @directus/pressure 4.0.5, by which an overloaded server
# answers 503 with a `Retry-After`, is compared with how busy the event loop has been since the process started, not since the last sample: a
# server that was idle for a while takes requests on although its loop has no time left, and one with a busy start refuses them when it has
# nothing to do. The longer it runs, the less it moves. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @directus/pressure@4.0.5
cat >show.mjs <<'SHOW'
import { performance } from 'node:perf_hooks';
import { PressureMonitor } from '@directus/pressure';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const monitor = new PressureMonitor({ maxEventLoopUtilization: 0.8, sampleInterval: 100 });

const idle = (ms) => sleep(ms);
async function busy(ms) {
  const end = Date.now() + ms;
  while (Date.now() < end) {
    const pause = Date.now() + 40;
    while (Date.now() < pause);
    await sleep(0);
  }
}

async function show(name, phase, ms) {
  const before = performance.eventLoopUtilization();
  await phase(ms);
  const { utilization } = performance.eventLoopUtilization(before);
  const now = utilization > 0.8 ? 'above' : 'below';
  console.log(`${name}: the loop is ${now} 0.8, ${monitor.overloaded ? 'overloaded' : 'not overloaded'}`);
}
if (process.argv[2] === 'idle') {
  await show('idle for 3 s', idle, 3_000);
  await show('then busy for 2 s', busy, 2_000);
} else {
  await show('busy for 4 s', busy, 4_000);
  await show('then idle for 0.5 s', idle, 500);
}
process.exit();
SHOW
cat >expected <<'SEEN'
idle for 3 s: the loop is below 0.8, not overloaded
then busy for 2 s: the loop is above 0.8, not overloaded
busy for 4 s: the loop is above 0.8, overloaded
then idle for 0.5 s: the loop is below 0.8, overloaded
SEEN
for start in idle busy; do TZ=UTC node show.mjs "$start"; done | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
