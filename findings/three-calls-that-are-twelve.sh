#!/usr/bin/env bash
# Three calls that are twelve. A retry that a `failed` listener of Bottleneck 2.19.5 asks for is made without the limiter: it takes nothing from
# the `reservoir`, which holds what an API grants per day, and waits for nothing. The documentation says so of `minTime`, and of the reservoir
# nothing. Of three calls that are allowed and fail, with three retries each, twelve reach a server that counts. A retry that is scheduled anew is
# counted. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts bottleneck@2.19.5
cat >show.mjs <<'SHOW'
import Bottleneck from 'bottleneck';

async function show(name, run) {
  const limiter = new Bottleneck({ reservoir: 3 });
  let calls = 0;
  const fail = () => {
    calls += 1;
    return Promise.reject(new Error('429'));
  };
  run(limiter, fail);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  console.log(`${name}: ${calls} calls out of a reservoir of 3`);
}

await show("retried by 'failed'", (limiter, fail) => {
  limiter.on('failed', (_, { retryCount }) => (retryCount < 3 ? 0 : undefined));
  for (let index = 0; index < 3; index += 1) limiter.schedule(fail).catch(() => undefined);
});
await show('scheduled anew', (limiter, fail) => {
  const attempt = (left) => limiter.schedule(fail).catch(() => (left > 0 ? attempt(left - 1) : undefined));
  for (let index = 0; index < 3; index += 1) attempt(3);
});
process.exit();
SHOW
cat >expected <<'SEEN'
retried by 'failed': 12 calls out of a reservoir of 3
scheduled anew: 3 calls out of a reservoir of 3
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
