#!/usr/bin/env bash
# Calls after the caller has been told that it is over. @humanwhocodes/retry 0.4.3, the retries of ESLint's file access, says that a `signal`
# cancels a retry: the promise rejects, but the function is called on until the timeout, a minute by default, and an abort during the first call
# is never heard. promise-poller 1.9.1 rejects at its `masterTimeout` and polls on, if `shouldContinue` asks for
# it. What was cancelled still writes and sends. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @humanwhocodes/retry@0.4.3 promise-poller@1.9.1
cat >show.mjs <<'SHOW'
import { Retrier } from '@humanwhocodes/retry';
import poller from 'promise-poller';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(name, run) {
  let calls = 0;
  const rejected = await run(() => {
    calls += 1;
  }).catch((error) => error.name ?? error);
  const before = calls;
  await sleep(1_000);
  console.log(`${name}: rejects with ${rejected}, called ${before > 1 ? 'again' : 'once'} before, ${calls > before ? 'called on' : 'not called'} after`);
}

async function failing(count, timeMs, abortMs, timeout) {
  const controller = new AbortController();
  const retrier = new Retrier(() => true, { timeout });
  const fail = async () => {
    count();
    await sleep(timeMs);
    throw new Error('busy');
  };
  setTimeout(() => controller.abort(), abortMs);
  await retrier.retry(fail, { signal: controller.signal });
}
await show('@humanwhocodes/retry, between calls', (count) => failing(count, 0, 400, 60_000));
await show('@humanwhocodes/retry, in the first call', (count) => failing(count, 600, 200, 2_000));
await show('promise-poller', (count) =>
  poller.default({
    taskFn: async () => {
      count();
      return 'pending';
    },
    interval: 200,
    masterTimeout: 900,
    shouldContinue: (error, value) => error !== null || value === 'pending',
  }),
);
process.exit();
SHOW
cat >expected <<'SEEN'
@humanwhocodes/retry, between calls: rejects with AbortError, called again before, called on after
@humanwhocodes/retry, in the first call: rejects with Error, called again before, not called after
promise-poller: rejects with master timeout, called again before, called on after
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
