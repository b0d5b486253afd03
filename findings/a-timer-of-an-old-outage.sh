#!/usr/bin/env bash
# A healthy breaker that refuses calls. levee 1.5.1 opens after `maxFailures` and sets a timer that lets one call in when `resetTimeout` is over. A
# call that began before the failures and goes well closes it at once, and the timer runs on: in the end the breaker, closed and well, is half open,
# all calls of that moment but one are refused, "Command not available", and one failure opens it. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts levee@1.5.1
cat >show.mjs <<'SHOW'
import levee from 'levee';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const command = ({ isDown, ms }, done) => setTimeout(() => (isDown ? done(new Error('down')) : done(null, 'ok')), ms);
const breaker = levee.createBreaker(command, { maxFailures: 3, resetTimeout: 1_000 });
const run = (what) => new Promise((resolve) => breaker.run(what, (error, value) => resolve(error ? error.message : value)));
const three = (what) => Promise.all([run(what), run(what), run(what)]);

const slow = run({ ms: 300 });
await three({ isDown: true, ms: 10 });
console.log(`after three failures: ${breaker.isOpen() ? 'open' : 'not open'}`);
console.log(`the slow call: ${await slow}, then ${breaker.isClosed() ? 'closed' : 'not closed'}`);
let served = 0;
for (let index = 0; index < 5; index += 1) {
  served += (await three({ ms: 20 })).filter((answer) => answer === 'ok').length;
  await sleep(80);
}
console.log(`of 15 calls in the next half second ${served} are served`);
await sleep(500);
console.log(`three calls when the timer is over: ${(await three({ ms: 20 })).join(', ')}`);
SHOW
cat >expected <<'SEEN'
after three failures: open
the slow call: ok, then closed
of 15 calls in the next half second 15 are served
three calls when the timer is over: ok, Command not available., Command not available.
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
