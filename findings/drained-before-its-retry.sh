#!/usr/bin/env bash
# better-queue 3.8.12 says with `drain` that no task is left, neither queued nor running, while one waits for its retry: for the time of
# `retryDelay` that task is nowhere but in a timer, not in the store either, so that who ends the process at `drain`, or restarts
# it with a store on disk, loses it. And after `pause()` and `resume()` a queue with `concurrent: 2` runs one task at a time, as it
# fills one place less than it has. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts better-queue@3.8.12 better-queue-memory@1.0.4
cat >show.mjs <<'SHOW'
import Queue from 'better-queue';
import MemoryStore from 'better-queue-memory';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const store = new MemoryStore();
let runs = 0;
const retrying = new Queue(
  (_task, callback) => {
    runs += 1;
    callback(runs === 1 ? 'busy' : null);
  },
  { store, maxRetries: 3, retryDelay: 600 },
);
retrying.on('drain', () => {
  store.getTask('a', (_error, waiting) => {
    store.getRunningTasks((_failed, running) => {
      const kept = waiting !== undefined || Object.keys(running).length > 0;
      console.log(`drain after run ${runs}, in the store: ${kept}`);
    });
  });
});
retrying.on('task_finish', () => console.log(`finished by run ${runs}`));
retrying.push({ id: 'a' });
await sleep(1_500);

async function showMost(name, pause) {
  let running = 0;
  let most = 0;
  const queue = new Queue(
    (_task, callback) => {
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => {
        running -= 1;
        callback(null);
      }, 200);
    },
    { concurrent: 2 },
  );
  if (pause) queue.pause();
  for (let id = 1; id <= 4; id += 1) queue.push({ id: `task ${id}` });
  await sleep(300);
  if (pause) queue.resume();
  await sleep(1_500);
  console.log(`${name}: concurrent 2, at the same time ${most}`);
}
await showMost('from the start', false);
await showMost('after pause and resume', true);
process.exit();
SHOW
cat >expected <<'SEEN'
drain after run 1, in the store: false
finished by run 2
drain after run 2, in the store: false
from the start: concurrent 2, at the same time 2
after pause and resume: concurrent 2, at the same time 1
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
