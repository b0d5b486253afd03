#!/usr/bin/env bash
# Five attempts are three, and one is two. In groupmq 1.1.0 the `maxAttempts` of a job overrides that of its queue, by its types, and 1 means no
# retries. The worker has a `maxAttempts`, too, by default the three of the queue, and ends a job by that: the five of the first example in its
# documentation are three. The number of the job is asked as well, one too late, so that 1 runs twice. And the delay of a retry counts from the
# whole second before it, and ends when the scheduler comes by: half a second is next to nothing or two seconds. Seen on Node 20.20.2, 2026-11-30,
# on a Redis 7.0.15 of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${redis:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts groupmq@1.1.0 ioredis@5.8.2
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
redis=$!
until [ -S "$folder/redis.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import { Queue, Worker } from 'groupmq';
import { Redis } from 'ioredis';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const redis = new Redis(process.argv[2], { maxRetriesPerRequest: null });

async function runsOf(namespace, backoff, add, ms) {
  const queue = new Queue({ redis, namespace });
  const runs = {};
  const handler = async ({ groupId }) => {
    runs[groupId] = [...(runs[groupId] ?? []), performance.now()];
    throw new Error('busy');
  };
  const worker = new Worker({ queue, backoff, concurrency: 4, handler });
  worker.on('error', () => undefined);
  void worker.run();
  await add((groupId, options) => queue.add({ groupId, data: {}, ...options }));
  await sleep(ms);
  return runs;
}

const numbers = [undefined, 1, 2, 3, 5];
const addNumbers = async (add) => {
  for (const maxAttempts of numbers) await add(`${maxAttempts}`, { maxAttempts });
};
const byNumber = await runsOf('numbers', () => 0, addNumbers, 3_000);
for (const maxAttempts of numbers) console.log(`maxAttempts ${maxAttempts ?? 'of the queue'}: ${byNumber[maxAttempts].length} runs`);

const addSome = async (add) => {
  for (let index = 0; index < 12; index += 1) {
    await add(`${index}`);
    await sleep(130);
  }
};
const runs = Object.values(await runsOf('delays', () => 500, addSome, 4_000));
const delays = runs.flatMap((of) => of.slice(1).map((at, index) => at - of[index]));
console.log(`a delay of 500 ms: ${delays.some((ms) => ms < 250) ? 'some are less than half of it' : 'none is less than half of it'}`);
process.exit();
SHOW
cat >expected <<'SEEN'
maxAttempts of the queue: 3 runs
maxAttempts 1: 2 runs
maxAttempts 2: 3 runs
maxAttempts 3: 3 runs
maxAttempts 5: 3 runs
a delay of 500 ms: some are less than half of it
SEEN
TZ=UTC node show.mjs "$folder/redis.sock" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
