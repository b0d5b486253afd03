#!/usr/bin/env bash
# A policy that is used up. `waitAndRetry` of polly-js 1.8.3 takes its delays out of the array that it was given: after one call that failed
# throughout it is empty, the array of the caller too, and the next calls of the policy, or of another one made of the same array, are not
# retried at all. With callbacks each call takes a delay, also one that is well. And a delay of 0, "at once", ends the retries, as it is
# taken for none. `retry` of the same library can be used again. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts polly-js@1.8.3
cat >show.mjs <<'SHOW'
import polly from 'polly-js';

let calls = 0;
const fail = async () => {
  calls += 1;
  throw new Error('busy');
};
const succeed = (done) => {
  calls += 1;
  done(null, 'an answer');
};

async function show(name, policy, times) {
  const counts = [];
  for (let index = 0; index < times; index += 1) {
    calls = 0;
    await policy.executeForPromise(fail).catch(() => undefined);
    counts.push(calls);
  }
  console.log(`${name}: calls ${counts.join(', then ')}`);
}
await show('retry(3)', polly().retry(3), 3);
await show('waitAndRetry(3)', polly().waitAndRetry(3), 3);

const delays = [10, 20, 30];
await show('waitAndRetry([10, 20, 30])', polly().waitAndRetry(delays), 1);
await show('a new policy of the same array', polly().waitAndRetry(delays), 1);
console.log(`the array of the caller: ${JSON.stringify(delays)}`);
await show('waitAndRetry([0, 10])', polly().waitAndRetry([0, 10]), 1);

const shared = polly().waitAndRetry([10, 20, 30]);
for (let index = 0; index < 3; index += 1) await new Promise((resolve) => shared.executeForNode(succeed, resolve));
await show('after three callbacks that are well', shared, 1);
SHOW
cat >expected <<'SEEN'
retry(3): calls 4, then 4, then 4
waitAndRetry(3): calls 4, then 1, then 1
waitAndRetry([10, 20, 30]): calls 4
a new policy of the same array: calls 1
the array of the caller: []
waitAndRetry([0, 10]): calls 1
after three callbacks that are well: calls 1
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
