#!/usr/bin/env bash
# A limiter that stays shut. p-ratelimit 1.0.1 gives the place of a call that waited longer than `maxDelay`, and was rejected, away once more
# when its turn comes, and never takes it back: each timeout in the queue costs one of `concurrency` until the process ends, and after as
# many as there are every call is rejected, with nothing running. And a `rate` that is used up is looked at again only when a call ends or
# nothing runs: a slow call holds those back that were due in the next `interval`. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts p-ratelimit@1.0.1
cat >show.mjs <<'SHOW'
import { pRateLimit } from 'p-ratelimit';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const limit = pRateLimit({ concurrency: 2, maxDelay: 400 });
async function show(name, count, timeMs) {
  const calls = Array.from({ length: count }, () =>
    limit(() => sleep(timeMs)).then(
      () => 'served',
      (error) => error.constructor.name,
    ),
  );
  console.log(`${name}: ${(await Promise.all(calls)).join(', ')}`);
}
await show('two calls', 2, 50);
await show('four slow calls at once', 4, 900);
await sleep(1_500);
await show('two calls, when all is quiet', 2, 50);

async function startedWithin(firstTimeMs) {
  const perInterval = pRateLimit({ concurrency: 10, interval: 400, rate: 2 });
  let started = 0;
  const call = (timeMs) =>
    perInterval(async () => {
      started += 1;
      await sleep(timeMs);
    });
  for (const timeMs of [firstTimeMs, 20, 20, 20]) void call(timeMs);
  await sleep(1_400);
  return started;
}
console.log(`two per 0.4 s, started after 1.4 s: ${await startedWithin(20)} of 4`);
console.log(`the same, while the first call is running: ${await startedWithin(3_000)} of 4`);
process.exit();
SHOW
cat >expected <<'SEEN'
two calls: served, served
four slow calls at once: served, served, RateLimitTimeoutError, RateLimitTimeoutError
two calls, when all is quiet: RateLimitTimeoutError, RateLimitTimeoutError
two per 0.4 s, started after 1.4 s: 4 of 4
the same, while the first call is running: 2 of 4
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
