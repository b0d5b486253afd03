#!/usr/bin/env bash
# Jitter that ends where it is needed most, at the longest delay. retry 0.13.1 (`randomize: true`, also below async-retry and promise-retry)
# draws first and cuts to `maxTimeout` afterwards: all clients that wait long wait the same 30 s. The default generator of cockatiel 3.2.1,
# decorrelated jitter, ends there as well; its full jitter does not. backoff 2.5.0 draws after the cut, so that its "maximum" of 30 s
# is up to a minute. Seen on Node 20.20.2, 2026-11-28.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts retry@0.13.1 cockatiel@3.2.1 backoff@2.5.0
cat >show.mjs <<'SHOW'
import backoff from 'backoff';
import { ExponentialBackoff, fullJitterGenerator } from 'cockatiel';
import retry from 'retry';

const CAP_MS = 30_000;
const tenth = (name, draw) => {
  const delays = Array.from({ length: 1_000 }, draw);
  const atCap = delays.filter((delay) => delay === CAP_MS).length;
  const share = atCap === 1_000 ? 'all' : atCap > 900 ? 'nearly all' : atCap === 0 ? 'none' : 'some';
  console.log(`${name}: ${share} of the tenth delays are the cap, ${Math.max(...delays) > CAP_MS ? 'some above it' : 'none above it'}`);
};
const cockatiel = (options) => () => {
  let state = new ExponentialBackoff({ initialDelay: 1_000, maxDelay: CAP_MS, ...options }).next({});
  for (let index = 1; index < 10; index += 1) state = state.next({});
  return state.duration;
};

tenth('retry', () => retry.timeouts({ retries: 10, minTimeout: 1_000, maxTimeout: CAP_MS, randomize: true }).at(-1));
tenth('cockatiel', cockatiel({}));
tenth('cockatiel, full jitter', cockatiel({ generator: fullJitterGenerator }));
tenth('backoff', () => {
  const strategy = new backoff.ExponentialStrategy({ initialDelay: 1_000, maxDelay: CAP_MS, randomisationFactor: 1 });
  return Array.from({ length: 10 }, () => strategy.next()).at(-1);
});
SHOW
cat >expected <<'SEEN'
retry: all of the tenth delays are the cap, none above it
cockatiel: nearly all of the tenth delays are the cap, none above it
cockatiel, full jitter: none of the tenth delays are the cap, none above it
backoff: none of the tenth delays are the cap, some above it
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
