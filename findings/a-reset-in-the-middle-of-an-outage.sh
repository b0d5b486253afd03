#!/usr/bin/env bash
# A reset in the middle of an outage. `Schedule.resetAfter` of effect 3.22.4 resets a schedule after a time of inactivity, in which nothing fails, by
# its documentation. It looks at the time since the first failure, whatever has come since: delays that double are the shortest again as soon as that
# time is over, and so on until the outage is. Here that is two seconds, no two failures are more than 1.3 s apart, and after each five delays comes
# the first. effect 4.1.0 has no `resetAfter`. Seen on Node 20.20.2, 2026-12-01.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts effect@3.22.4
cat >show.mjs <<'SHOW'
import { Effect, Schedule } from 'effect';

const BASE_MS = 80;

// Timers are late, so that each delay is rounded to the nearest of 80, 160, 320 … ms.
async function show(name, schedule, retries) {
  const delays = [];
  let failedAt;
  const call = Effect.suspend(() => {
    const now = performance.now();
    if (failedAt !== undefined) delays.push(BASE_MS * 2 ** Math.round(Math.log2((now - failedAt) / BASE_MS)));
    failedAt = now;
    return Effect.fail('down');
  });
  await Effect.runPromiseExit(Effect.retry(call, { schedule, times: retries }));
  console.log(`${name}: ${delays.join(', ')} ms`);
}

const doubling = Schedule.exponential(BASE_MS);
await show('doubling', doubling, 7);
await show('doubling, reset after two seconds without a failure', doubling.pipe(Schedule.resetAfter('2 seconds')), 13);
SHOW
cat >expected <<'SEEN'
doubling: 80, 160, 320, 640, 1280, 2560, 5120 ms
doubling, reset after two seconds without a failure: 80, 160, 320, 640, 1280, 80, 160, 320, 640, 1280, 80, 160, 320 ms
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
