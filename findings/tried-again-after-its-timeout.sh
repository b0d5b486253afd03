#!/usr/bin/env bash
# Retries that begin after the end. When the `timeout` of @lifeomic/attempt 3.1.0 is over, the call rejects and, by its documentation, future
# attempts are aborted; retry-as-promised 7.1.1, by which Sequelize repeats its queries, throws when no answer came in time. In both the attempt
# that was given up runs on, and when it fails it is retried as if nothing had been said: all attempts are made, behind the back of a caller who
# may have begun anew. The clock of both begins with each attempt, and the TimeoutError of the second has a `previous` that is never there. Seen on
# Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @lifeomic/attempt@3.1.0 retry-as-promised@7.1.1
cat >show.mjs <<'SHOW'
import { retry } from '@lifeomic/attempt';
import promised from 'retry-as-promised';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(name, repeat) {
  let calls = 0;
  const slowAndFailing = async () => {
    calls += 1;
    await sleep(600);
    throw new Error('busy');
  };
  const error = await repeat(slowAndFailing).catch((caught) => caught);
  const callsThen = calls;
  await sleep(4_000);
  console.log(`${name}: rejects after ${callsThen} call with "${error.message}", ${calls} calls later`);
}
await show('attempt', (call) => retry(call, { maxAttempts: 4, delay: 100, timeout: 300 }));
await show('retry-as-promised', (call) => promised.retryAsPromised(call, { max: 4, backoffBase: 100, timeout: 300, name: 'call' }));

let calls = 0;
const failsThenHangs = async () => {
  calls += 1;
  if (calls === 1) throw new Error('busy');
  await sleep(600);
};
const { previous } = await promised.retryAsPromised(failsThenHangs, { max: 4, backoffBase: 10, timeout: 300 }).catch((error) => error);
console.log(`previous of a second attempt that timed out: ${previous}`);
SHOW
cat >expected <<'SEEN'
attempt: rejects after 1 call with "Retry timeout (attemptNum: 0, timeout: 300)", 4 calls later
retry-as-promised: rejects after 1 call with "call timed out", 4 calls later
previous of a second attempt that timed out: undefined
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
