#!/usr/bin/env bash
# A bucket that never overflows. leaky-bucket 4.1.4 refuses what cannot be done within its `timeout`; what is known only afterwards one subtracts by
# `pay(cost)`. That takes the cost off the queue as well, where it never was: after five payments a queue for ten takes sixty, and who is
# let in late in it waits for five times the `timeout`, the more the more has been paid. And its default interval, 60000, counts as
# seconds, the unit of the option: without options one call per 1000 seconds. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts leaky-bucket@4.1.4
cat >show.mjs <<'SHOW'
import LeakyBucket from 'leaky-bucket';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(name, payments) {
  const bucket = new LeakyBucket({ capacity: 10, interval: 0.5, timeout: 0.5 });
  for (let index = 0; index < payments; index += 1) {
    bucket.pay(10);
    await sleep(600);
  }
  const started = performance.now();
  let longestMs = 0;
  const calls = Array.from({ length: 100 }, () =>
    bucket.throttle().then(
      () => {
        longestMs = performance.now() - started;
        return true;
      },
      () => false,
    ),
  );
  const accepted = (await Promise.all(calls)).filter(Boolean).length;
  const waits = longestMs < 100 ? 'none waits' : `the last waits about ${(Math.round(longestMs / 500) * 0.5).toFixed(1)} s`;
  console.log(`${name}: ${accepted} of 100 accepted, ${waits}`);
}
await show('nothing paid', 0);
await show('paid twice', 2);
await show('paid five times', 5);

const byDefault = new LeakyBucket();
for (let index = 0; index < 60; index += 1) await byDefault.throttle();
await sleep(1_500);
const next = await byDefault.throttle().then(
  () => 'accepted',
  () => 'refused',
);
const perMinute = new LeakyBucket({ capacity: 60, interval: 60 });
for (let index = 0; index < 60; index += 1) await perMinute.throttle();
await sleep(1_500);
const nextOfMinute = await perMinute.throttle().then(
  () => 'accepted',
  () => 'refused',
);
console.log(`after a burst of 60 and 1.5 s: interval 60 ${nextOfMinute}, by default ${next}`);
process.exit();
SHOW
cat >expected <<'SEEN'
nothing paid: 10 of 100 accepted, none waits
paid twice: 30 of 100 accepted, the last waits about 1.0 s
paid five times: 60 of 100 accepted, the last waits about 2.5 s
after a burst of 60 and 1.5 s: interval 60 accepted, by default refused
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
