#!/usr/bin/env bash
# p-queue 9.3.5 (`concurrency: 1`), Bottleneck 2.19.5 (`maxConcurrent: 1`) and opossum 9.0.0 (`capacity: 1`) give a slot away when its
# function has timed out, though that still runs: four functions that take longer than their timeout run at the same time under a limit
# of one. Who limits the load on a dependency loses the limit just when the dependency is slow. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts p-queue@9.3.5 bottleneck@2.19.5 opossum@9.0.0
cat >show.mjs <<'SHOW'
import Bottleneck from 'bottleneck';
import CircuitBreaker from 'opossum';
import PQueue from 'p-queue';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(name, prepare) {
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await sleep(400);
    running -= 1;
  };
  const run = prepare(work);
  for (let index = 0; index < 4; index += 1) await run().catch(() => undefined);
  console.log(`${name}: limit 1, at the same time ${most}`);
  await sleep(500);
}

await show('p-queue', (work) => {
  const queue = new PQueue({ concurrency: 1, timeout: 40 });
  return () => queue.add(work);
});
await show('bottleneck', (work) => {
  const limiter = new Bottleneck({ maxConcurrent: 1 });
  return () => limiter.schedule({ expiration: 40 }, work);
});
await show('opossum', (work) => {
  const breaker = new CircuitBreaker(work, { timeout: 40, capacity: 1, volumeThreshold: 100 });
  return () => breaker.fire();
});
process.exit();
SHOW
cat >expected <<'SEEN'
p-queue: limit 1, at the same time 4
bottleneck: limit 1, at the same time 4
opossum: limit 1, at the same time 4
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
