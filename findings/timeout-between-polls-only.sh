#!/usr/bin/env bash
# A timeout that waits for what it should end. p-wait-for 6.0.0 promises to reject when its `timeout` is over, but looks at the clock only
# between two calls of the condition: one that takes longer is waited for, and if it is true at last, the wait is a success, long after its
# time; one that never answers is waited for without an end. An abort by `signal` is as deaf. A poll of a dependency that hangs is what
# one sets the timeout for. Version 5.0.2 rejects in time. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts p-wait-for@6.0.0 p-wait-for-5@npm:p-wait-for@5.0.2
cat >show.mjs <<'SHOW'
import waitFor from 'p-wait-for';
import waitForBefore from 'p-wait-for-5';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(name, run) {
  const started = performance.now();
  const outcome = await run(async () => {
    await sleep(1_500);
    return true;
  }).then(
    () => 'resolves',
    (error) => `rejects with ${error.name}`,
  );
  const isInTime = performance.now() - started < 1_000;
  console.log(`${name}: ${outcome}, ${isInTime ? 'in time' : 'a second late'}`);
}

const afterHalfASecond = () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 500);
  return controller.signal;
};
await show('6.0.0, timeout', (condition) => waitFor(condition, { timeout: 500 }));
await show('6.0.0, signal', (condition) => waitFor(condition, { signal: afterHalfASecond() }));
await show('5.0.2, timeout', (condition) => waitForBefore(condition, { timeout: 500 }));
SHOW
cat >expected <<'SEEN'
6.0.0, timeout: resolves, a second late
6.0.0, signal: resolves, a second late
5.0.2, timeout: rejects with TimeoutError, in time
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
