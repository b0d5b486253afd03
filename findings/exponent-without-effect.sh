#!/usr/bin/env bash
# Options that do not do what they say. In cockatiel 4.0.0 `maxAttempts: 1` makes two calls, and `exponent: 10` changes nothing with any generator
# but the default one: with `noJitterGenerator` each delay is twice the one before. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cockatiel@4.0.0
cat >show.mjs <<'SHOW'
import { ConstantBackoff, ExponentialBackoff, handleAll, noJitterGenerator, retry } from 'cockatiel';

let calls = 0;
const fail = () => {
  calls += 1;
  throw new Error('down');
};
await retry(handleAll, { maxAttempts: 1, backoff: new ConstantBackoff(1) }).execute(fail).catch(() => undefined);
console.log(`maxAttempts: 1 makes ${calls} calls`);

for (const exponent of [2, 10]) {
  let backoff = new ExponentialBackoff({ generator: noJitterGenerator, initialDelay: 100, exponent }).next();
  const delays = [];
  for (let retries = 0; retries < 4; retries += 1) {
    delays.push(backoff.duration);
    backoff = backoff.next();
  }
  console.log(`exponent: ${exponent}, without jitter: ${delays.join(', ')} ms`);
}
SHOW
cat >expected <<'SEEN'
maxAttempts: 1 makes 2 calls
exponent: 2, without jitter: 100, 200, 400, 800 ms
exponent: 10, without jitter: 100, 200, 400, 800 ms
SEEN
TZ=UTC node --no-warnings show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
