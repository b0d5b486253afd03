#!/usr/bin/env bash
# Attempts of a task. By the reference of Cloud Tasks, `maxAttempts` counts all of them: "if the first attempt fails, then there will be
# maxAttempts - 1 retries". The emulator of firebase-tools 15.34.2 makes one attempt more, `maxAttempts: 1` two of them: who counts on
# "never twice" tests something else than what runs later. The queue of the emulator is driven here with a clock of its own. Seen on
# Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts firebase-tools@15.34.2
cat >show.cjs <<'SHOW'
const { TaskQueue } = require('firebase-tools/lib/emulator/taskQueue.js');

async function attemptsOf(maxAttempts) {
  let attempts = 0;
  globalThis.fetch = async () => {
    attempts += 1;
    return new Response('down', { status: 503 });
  };
  const queue = new TaskQueue('queue', {
    retryConfig: { maxAttempts, maxRetrySeconds: null, maxDoublings: 16, minBackoffSeconds: 1, maxBackoffSeconds: 3600 },
    rateLimits: { maxConcurrentDispatches: 1, maxDispatchesPerSecond: 1 },
  });
  let timeMs = 0;
  Date.now = () => timeMs;
  queue.setTokens(1);
  queue.enqueue({ name: 'task', httpRequest: { url: 'http://task.invalid', headers: {}, body: {} } });
  queue.dispatchTasks();
  while (queue.isActive()) {
    queue.processDispatch();
    await new Promise(setImmediate);
    timeMs += 3_600_000;
  }
  return attempts;
}

(async () => {
  for (const maxAttempts of [1, 2, 3, 5]) console.log(`maxAttempts ${maxAttempts}: ${await attemptsOf(maxAttempts)} attempts`);
})();
SHOW
cat >expected <<'SEEN'
maxAttempts 1: 2 attempts
maxAttempts 2: 3 attempts
maxAttempts 3: 4 attempts
maxAttempts 5: 6 attempts
SEEN
node show.cjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
