#!/usr/bin/env bash
# A limiter that retries keep shut. ratelimiter 3.4.1 counts in its window the calls that it refuses as well: under a limit of three in two seconds, a
# client that tries again each half second is refused for ever after the first three; one that asks each second gets through. Its `reset` is right
# when it is said, and moves with each try. rate-limiter-flexible 11.4.0 lets three in for each window, however often a client asks between. Seen on
# Node 20.20.2, 2026-11-30, on a Redis 7.0.15 of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${redis:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts ratelimiter@3.4.1 rate-limiter-flexible@11.4.0 ioredis@5.8.2
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
redis=$!
until [ -S "$folder/redis.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import Limiter from 'ratelimiter';

const redis = new Redis(process.argv[2]);
const ratelimiter = (id) => {
  const limiter = new Limiter({ id, db: redis, max: 3, duration: 2_000 });
  return () => new Promise((resolve, reject) => limiter.get((error, limit) => (error ? reject(error) : resolve(limit.remaining > 0))));
};
const flexible = (id) => {
  const limiter = new RateLimiterRedis({ storeClient: redis, points: 3, duration: 2 });
  return () => limiter.consume(id).then(() => true, () => false);
};

async function show(name, isLetIn, delayMs) {
  let letIn = 0;
  for (const end = Date.now() + 9_000; Date.now() < end; await sleep(delayMs)) letIn += (await isLetIn()) ? 1 : 0;
  console.log(`${name}, a client that asks each ${delayMs / 1_000} s, for nine seconds: ${letIn > 3 ? 'more than 3' : letIn} are let in`);
}
await Promise.all([
  show('ratelimiter', ratelimiter('eager'), 500),
  show('ratelimiter', ratelimiter('patient'), 1_000),
  show('rate-limiter-flexible', flexible('eager'), 500),
]);
process.exit();
SHOW
cat >expected <<'SEEN'
rate-limiter-flexible, a client that asks each 0.5 s, for nine seconds: more than 3 are let in
ratelimiter, a client that asks each 0.5 s, for nine seconds: 3 are let in
ratelimiter, a client that asks each 1 s, for nine seconds: more than 3 are let in
SEEN
TZ=UTC node show.mjs "$folder/redis.sock" | sort | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
