#!/usr/bin/env bash
# A limit that lasts as long as the shortest lease. A `Semaphore` of redis-semaphore 5.8.0 has a `lockTimeout`, which by its documentation is the
# time after which it is released by itself. In Redis it is that of all: who acquires or refreshes sets the life of the whole key by its own, and
# throws out of it whoever is older than that. A quick caller beside slow ones, here half a second beside ten, frees the places of the slow ones
# though they still run: under a limit of two there are three, and nobody is told before its own refresh, after eight seconds. Seen on Node 20.20.2,
# 2026-11-30, on a Redis 7.0.15 of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${redis:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts redis-semaphore@5.8.0 ioredis@5.11.1
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
redis=$!
until [ -S "$folder/redis.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import { Redis } from 'ioredis';
import { Semaphore } from 'redis-semaphore';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const redis = new Redis(process.argv[2]);
const create = (key, lockTimeout) => new Semaphore(redis, key, 2, { lockTimeout, acquireTimeout: 100 });

async function show(name, quickTimeout) {
  const slow = create(name, 10_000);
  const quick = create(name, quickTimeout);
  await slow.acquire();
  await quick.acquire();
  await quick.release();
  await sleep(1_000);
  const others = [create(name, 10_000), create(name, 10_000)];
  let held = slow.isAcquired ? 1 : 0;
  for (const other of others) held += (await other.tryAcquire()) ? 1 : 0;
  console.log(`${name}: ${held} hold one of two places`);
  for (const each of [slow, ...others]) each.stopRefresh();
}
await show('all with ten seconds', 10_000);
await show('one with half a second', 500);
redis.disconnect();
SHOW
cat >expected <<'SEEN'
all with ten seconds: 2 hold one of two places
one with half a second: 3 hold one of two places
SEEN
TZ=UTC node show.mjs "$folder/redis.sock" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
