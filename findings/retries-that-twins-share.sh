#!/usr/bin/env bash
# A retry plugin that retries nothing, and twins that share their retries. With its defaults the Retry plugin of node-resque 9.7.1 makes no retry
# at all, as `retryLimit` is 1 and counts the first run, while its documentation speaks of retries. It counts per function and arguments,
# not per job: two jobs with the same arguments have the three runs of `retryLimit: 3` together, and one of them, run once, is failed for
# good. Seen on Node 20.20.2, 2026-11-29, on a Redis 7.0.15 of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${redis:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts node-resque@9.7.1
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
redis=$!
until [ -S "$folder/redis.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import resque from 'node-resque';
import { Redis } from 'ioredis';

const { Plugins, Queue, Scheduler, Worker } = resque;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const nothing = () => undefined;
const redis = new Redis(process.argv[2]);
const connection = { redis };

const runs = {};
const failing = (name, options) => ({
  plugins: [Plugins.Retry],
  pluginOptions: { Retry: options },
  perform: async () => {
    runs[name] = (runs[name] ?? 0) + 1;
    throw new Error('busy');
  },
});
const jobs = {
  byDefault: failing('byDefault', {}),
  single: failing('single', { retryLimit: 3, retryDelay: 500 }),
  twins: failing('twins', { retryLimit: 3, retryDelay: 500 }),
};
const worker = new Worker({ connection, queues: ['mail'], timeout: 50 }, jobs);
const scheduler = new Scheduler({ connection, timeout: 50 });
const queue = new Queue({ connection }, jobs);
for (const each of [worker, scheduler, queue]) {
  each.on('error', nothing);
  await each.connect();
}
await worker.start();
await scheduler.start();
await queue.enqueue('mail', 'byDefault', ['a']);
await queue.enqueue('mail', 'single', ['a']);
for (let index = 0; index < 2; index += 1) await queue.enqueue('mail', 'twins', ['a']);
while ((await queue.failedCount()) < 4) await sleep(100);
await sleep(1_500);
console.log(`one job, defaults: ${runs.byDefault} run`);
console.log(`one job, retryLimit 3: ${runs.single} runs`);
console.log(`two jobs with the same arguments, retryLimit 3: ${runs.twins} runs, failed for good ${(await queue.failedCount()) - 2}`);
process.exit();
SHOW
cat >expected <<'SEEN'
one job, defaults: 1 run
one job, retryLimit 3: 3 runs
two jobs with the same arguments, retryLimit 3: 3 runs, failed for good 2
SEEN
TZ=UTC node show.mjs "$folder/redis.sock" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
