#!/usr/bin/env bash
# Circuit breakers under a dependency that fails each call. opossum 9.0.0 with `errorThresholdPercentage: 100` never opens, as it opens above
# the percentage and not at it. cockatiel 3.2.1 computes the calls that its `SamplingBreaker` waits for from the threshold, the other way
# round than one expects: the careful 0.1 opens after 500 failures, 0.99 after 51. A service with less traffic than that in
# its ten seconds never sees it open. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts opossum@9.0.0 cockatiel@3.2.1
cat >show.mjs <<'SHOW'
import { circuitBreaker, handleAll, SamplingBreaker } from 'cockatiel';
import Opossum from 'opossum';

const CALLS = 1_000;
let reached = 0;
async function fail() {
  reached += 1;
  throw new Error('down');
}

async function show(name, call) {
  reached = 0;
  for (let index = 0; index < CALLS; index += 1) await call().catch(() => undefined);
  console.log(`${name}: ${reached} of ${CALLS} calls reach the dependency`);
}

for (const errorThresholdPercentage of [99, 100]) {
  const breaker = new Opossum(fail, { errorThresholdPercentage, timeout: false });
  await show(`opossum, ${errorThresholdPercentage} %`, () => breaker.fire());
  breaker.shutdown();
}
for (const threshold of [0.1, 0.5, 0.99]) {
  const breaker = new SamplingBreaker({ threshold, duration: 10_000 });
  const policy = circuitBreaker(handleAll, { halfOpenAfter: 60_000, breaker });
  await show(`cockatiel, threshold ${threshold}`, () => policy.execute(fail));
}
SHOW
cat >expected <<'SEEN'
opossum, 99 %: 1 of 1000 calls reach the dependency
opossum, 100 %: 1000 of 1000 calls reach the dependency
cockatiel, threshold 0.1: 500 of 1000 calls reach the dependency
cockatiel, threshold 0.5: 100 of 1000 calls reach the dependency
cockatiel, threshold 0.99: 51 of 1000 calls reach the dependency
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
