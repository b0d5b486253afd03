#!/usr/bin/env bash
# Timeouts that count as a success, or hit another call. In the retries of @tanstack/pacer 0.22.0 an attempt that is longer than `maxExecutionTime`
# is announced by `onRetry`, waited for, and never repeated: the call resolves with undefined, and its queue counts that as a success.
# `maxTotalExecutionTime` is not switched off by an answer: it goes off in the next call of the same retryer, which is given up in the
# middle, without an error. And `flushAsBatch` of a queue hands over what is running, too: it is done twice. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @tanstack/pacer@0.22.0
cat >show.mjs <<'SHOW'
import { AsyncQueuer, AsyncRetryer } from '@tanstack/pacer';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const outcomeOf = (call) =>
  call.then(
    (value) => `resolves with ${value}`,
    (error) => `rejects with ${error.message}`,
  );

let calls = 0;
const slowAtFirst = async () => {
  calls += 1;
  if (calls === 1) await sleep(1_500);
  return 'an answer';
};
const seen = [];
const retrying = {
  maxAttempts: 3,
  baseWait: 100,
  maxExecutionTime: 400,
  onRetry: () => seen.push('onRetry'),
  onLastError: () => seen.push('onLastError'),
};
const outcome = await outcomeOf(new AsyncRetryer(slowAtFirst, retrying).execute());
console.log(`first attempt too slow: ${outcome}, attempts ${calls}, ${seen.join(', ')}`);

calls = 0;
const queue = new AsyncQueuer(slowAtFirst, { asyncRetryerOptions: retrying, throwOnError: false });
queue.addItem('mail');
await sleep(1_000);
console.log(`the same in a queue: attempts ${calls}, successes ${queue.store.state.successCount}, errors ${queue.store.state.errorCount}`);

const answer = async (ms) => {
  await sleep(ms);
  return 'an answer';
};
const bounded = new AsyncRetryer(answer, { maxTotalExecutionTime: 800 });
console.log(`0.8 s in total, call of 0.02 s: ${await outcomeOf(bounded.execute(20))}`);
await sleep(500);
console.log(`0.5 s later, call of 0.5 s: ${await outcomeOf(bounded.execute(500))}`);

const done = [];
const work = async (item) => {
  await sleep(300);
  done.push(item);
};
const flushed = new AsyncQueuer(work, { concurrency: 1 });
for (const item of ['a', 'b', 'c']) flushed.addItem(item);
await sleep(50);
await flushed.flushAsBatch(async (items) => done.push(...items));
await sleep(600);
console.log(`flushed while a is running, done: ${done.sort().join(', ')}`);
process.exit();
SHOW
cat >expected <<'SEEN'
first attempt too slow: resolves with undefined, attempts 1, onRetry
the same in a queue: attempts 1, successes 1, errors 0
0.8 s in total, call of 0.02 s: resolves with an answer
0.5 s later, call of 0.5 s: resolves with undefined
flushed while a is running, done: a, a, b, c
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
