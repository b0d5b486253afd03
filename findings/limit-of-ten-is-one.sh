#!/usr/bin/env bash
# Ten in a second is one in a second. simple-rate-limiter 0.5.0 starts ten calls that are made at once with `.to(10).per(1000)`, and of calls
# that are made one after the other, each awaited, one per second: when nothing waits it sets its timer to the end of the window, and
# a call that comes before then waits for the timer, whatever is left of the ten. `withFuzz`, which its documentation has for promises as
# well, throws there. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts simple-rate-limiter@0.5.0
cat >show.mjs <<'SHOW'
import limit from 'simple-rate-limiter';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(name, call) {
  let started = 0;
  const limited = limit
    .promise(async () => {
      started += 1;
    })
    .to(10)
    .per(1_000);
  void call(limited);
  await sleep(2_500);
  console.log(`${name}: ${started} of 10 after two and a half seconds`);
}
await show('all at once', (limited) => Promise.all(Array.from({ length: 10 }, () => limited())));
await show('one after the other', async (limited) => {
  for (let index = 0; index < 10; index += 1) await limited();
});
await show('every 50 ms', async (limited) => {
  for (let index = 0; index < 10; index += 1) {
    void limited();
    await sleep(50);
  }
});
try {
  limit.promise(async () => undefined).withFuzz(0.1);
} catch (error) {
  console.log(`withFuzz: ${error.name}`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
all at once: 10 of 10 after two and a half seconds
one after the other: 3 of 10 after two and a half seconds
every 50 ms: 10 of 10 after two and a half seconds
withFuzz: TypeError
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
