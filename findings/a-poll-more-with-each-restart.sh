#!/usr/bin/env bash
# Polls that multiply. async-polling 0.2.1 offers `stop()` and `run()` to halt a poll and go on with it. If a poll is under way at that moment, it
# does not know that it was stopped: with its answer it plans the next one, beside the one that `run()` has begun, and from then on both go
# on, for each such restart one more. Who restarts the poll whenever a page is shown again asks the server more often each time, and most of
# all a slow one. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts async-polling@0.2.1
cat >show.mjs <<'SHOW'
import AsyncPolling from 'async-polling';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let running = 0;
let most = 0;
const polling = AsyncPolling((end) => {
  running += 1;
  most = Math.max(most, running);
  setTimeout(() => {
    running -= 1;
    end(null, 'pending');
  }, 300);
}, 100);

async function show(name) {
  most = 0;
  await sleep(1_500);
  console.log(`${name}: at the same time ${most}`);
}
polling.run();
await show('run()');
for (const [index, name] of ['restarted once', 'restarted twice'].entries()) {
  while (running <= index) await sleep(5);
  polling.stop();
  polling.run();
  await show(name);
}
process.exit();
SHOW
cat >expected <<'SEEN'
run(): at the same time 1
restarted once: at the same time 2
restarted twice: at the same time 3
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
