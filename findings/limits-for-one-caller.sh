#!/usr/bin/env bash
# Limits on the rate that hold as long as one call is made after the other. rate-limit-threshold 0.2.1 lets all that wait go on together: of nine
# calls with a limit of three the last six start at once. promise-throttle 1.1.2 lets a call of `weight: 10` wait for its weight, not the
# call behind it: a light one follows at once, and whoever puts a heavy call first has eleven in a tenth of a second under a limit of
# ten per second. generic-throttle 3.1.0 with `errorOnLimit` refuses a call and keeps it: it runs later, unseen, in the place of
# another. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts rate-limit-threshold@0.2.1 promise-throttle@1.1.2 generic-throttle@3.1.0
cat >show.mjs <<'SHOW'
import { Throttle } from 'generic-throttle';
import PromiseThrottle from 'promise-throttle';
import { RateLimitThreshold } from 'rate-limit-threshold';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const threshold = new RateLimitThreshold(3, 1);
let started = 0;
for (let index = 0; index < 9; index += 1) {
  void threshold.limit().then(() => {
    started += 1;
  });
}
await sleep(500);
const atFirst = started;
await sleep(1_000);
console.log(`rate-limit-threshold, three per second: ${atFirst} at first, ${started - atFirst} in the next second`);

const throttle = new PromiseThrottle({ requestsPerSecond: 10 });
let weights = 0;
for (const weight of [10, 1]) {
  const count = async () => {
    weights += weight;
  };
  void throttle.add(count, { weight });
}
await sleep(500);
console.log(`promise-throttle, ten per second: a weight of ${weights} in half a second`);

const refusing = new Throttle(1, 400, true);
const ran = [];
const call = (name) =>
  refusing
    .acquire(async () => {
      ran.push(name);
      await sleep(50);
    })
    .then(
      () => `${name} accepted`,
      () => `${name} refused`,
    );
console.log(`generic-throttle, one per 0.4 s: ${(await Promise.all([call('first'), call('second')])).join(', ')}`);
await sleep(600);
console.log(`generic-throttle, when that is over: ${await call('third')}`);
await sleep(100);
console.log(`generic-throttle, these ran: ${ran.join(', ')}`);
process.exit();
SHOW
cat >expected <<'SEEN'
rate-limit-threshold, three per second: 3 at first, 6 in the next second
promise-throttle, ten per second: a weight of 11 in half a second
generic-throttle, one per 0.4 s: first accepted, second refused
generic-throttle, when that is over: third refused
generic-throttle, these ran: first, second
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
