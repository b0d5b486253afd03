#!/usr/bin/env bash
# A stop that the last task undoes. After `stop()` of queue-promise 2.2.1, by its documentation, new tasks are not executed until `start()`. It holds
# if something waits at that moment. If the last task is running, its end makes the queue idle as if it had never been stopped, and what is added
# then runs at once: a queue that is stopped for a maintenance stays stopped when it is busy, and not when it is nearly empty. And of `concurrent: 2`
# tasks the next two wait for the slower one, with a place free all the time. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts queue-promise@2.2.1
cat >show.mjs <<'SHOW'
import Queue from 'queue-promise';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(name, tasks) {
  const started = [];
  const queue = new Queue({ concurrent: 1, interval: 10 });
  const add = (task) =>
    queue.enqueue(async () => {
      started.push(task);
      await sleep(500);
    });
  for (let task = 1; task <= tasks; task += 1) add(task);
  await sleep(200);
  queue.stop();
  await sleep(1_000);
  add('one added later');
  await sleep(1_000);
  console.log(`${name}: started ${started.join(', ')}`);
}
await show('stopped while one runs and one waits', 2);
await show('stopped while one runs', 1);

const queue = new Queue({ concurrent: 2, interval: 10 });
const starts = [];
const startedAt = Date.now();
for (const ms of [100, 1_000, 100]) {
  queue.enqueue(async () => {
    starts.push(Date.now() - startedAt < 600 ? 'at once' : 'after the slow one');
    await sleep(ms);
  });
}
await sleep(2_000);
console.log(`fast, slow, fast with two places: ${starts.join(', ')}`);
SHOW
cat >expected <<'SEEN'
stopped while one runs and one waits: started 1
stopped while one runs: started 1, one added later
fast, slow, fast with two places: at once, at once, after the slow one
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
