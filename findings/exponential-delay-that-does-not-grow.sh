#!/usr/bin/env bash
# Backoffs that stand still or go back. `createExponetialDelay` of ts-retry 7.0.3 waits the same each time: it grows from `lastDelay`, which
# the retries document for delay functions and never hand over (nor `lastResult`). typescript-retry-decorator 2.6.0 cuts its exponential delays
# to 2 s by default, all but the first, so that a `backOff` of 3 s is followed by shorter ones; it makes four calls for `maxAttempts: 3`
# and reports that it failed three times. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts ts-retry@7.0.3 typescript-retry-decorator@2.6.0
cat >show.mjs <<'SHOW'
import tsRetry from 'ts-retry';
import * as decorators from 'typescript-retry-decorator';

const { createExponetialDelay, retryAsync } = tsRetry;
const { BackOffPolicy, Retryable } = decorators;

const wait = globalThis.setTimeout;
let delays = [];
globalThis.setTimeout = (run, delayMs) => {
  delays.push(delayMs);
  return wait(run, 0);
};
let calls = 0;
const fail = async () => {
  calls += 1;
  throw new Error('busy');
};

async function show(name, run) {
  delays = [];
  calls = 0;
  const { message } = await run().catch((error) => error);
  console.log(`${name}: ${calls} calls, delays ${delays.join(', ')}, ${message}`);
}
await show('ts-retry, exponential from 20 ms', () => retryAsync(fail, { delay: createExponetialDelay(20), maxTry: 5 }));

const seen = [];
const growing = ({ lastDelay, lastResult }) => {
  seen.push(lastDelay ?? 'none', lastResult ?? 'none');
  return 20;
};
await retryAsync(async () => 'pending', { delay: growing, maxTry: 3, until: (result) => result === 'done' }).catch(() => undefined);
console.log(`ts-retry, last delay and result at each retry: ${seen.join(', ')}`);

const retried = (options) => {
  const method = { value: fail };
  Retryable({ backOffPolicy: BackOffPolicy.ExponentialBackOffPolicy, useConsoleLogger: false, ...options })({}, 'send', method);
  return method.value;
};
await show('decorator, from 500 ms', retried({ maxAttempts: 3, backOff: 500 }));
await show('decorator, from 3 s', retried({ maxAttempts: 3, backOff: 3_000 }));
SHOW
cat >expected <<'SEEN'
ts-retry, exponential from 20 ms: 5 calls, delays 20, 20, 20, 20, busy
ts-retry, last delay and result at each retry: none, none, none, none
decorator, from 500 ms: 4 calls, delays 500, 1000, 2000, Failed for 'send' for 3 times. Original Error: busy
decorator, from 3 s: 4 calls, delays 3000, 2000, 2000, Failed for 'send' for 3 times. Original Error: busy
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
