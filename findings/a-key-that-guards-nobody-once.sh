#!/usr/bin/env bash
# A key that guards nobody, once. @node-idempotency/core 1.0.11, "race condition free", notes a key before the work begins and refuses it while that is
# under way. Its store in memory (@node-idempotency/storage-adapter-memory 1.0.2) still has a key whose time, `cacheTTLMS`, is over when the next
# request wants to note it, and removes it when that one reads it: the request goes on without a note, so a second one beside it is let in as well. Of
# two at once with a key that was used before, such as that of a daily job on the next day, both are carried out. A new key lets one in, and so does
# the store in Redis (@node-idempotency/storage-adapter-redis 1.0.2, Redis 7.0.15) each time. Seen on Node 20.20.2, 2026-12-01, with a time of half a
# second.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${redis:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @node-idempotency/core@1.0.11 @node-idempotency/storage-adapter-memory@1.0.2 @node-idempotency/storage-adapter-redis@1.0.2
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
redis=$!
until [ -S "$folder/redis.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import core from '@node-idempotency/core';
import memory from '@node-idempotency/storage-adapter-memory';
import redis from '@node-idempotency/storage-adapter-redis';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function show(name, storage) {
  const idempotency = new core.Idempotency(storage, { cacheTTLMS: 500 });
  const request = { method: 'POST', path: '/payouts', headers: { 'idempotency-key': 'payout-of-the-day' }, body: { cents: 100 } };
  async function handle() {
    const stored = await idempotency.onRequest(request).catch(({ code }) => ({ body: code }));
    if (stored) return stored.body === 'paid' ? 'the stored answer' : 'refused, as it is under way';
    await sleep(100);
    await idempotency.onResponse(request, { body: 'paid' });
    return 'carried out';
  }
  for (const when of ['new key', 'within its time', 'after its time']) {
    if (when === 'after its time') await sleep(700);
    console.log(`${name}, two at once, ${when}: ${(await Promise.all([handle(), handle()])).join(', ')}`);
  }
}
await show('memory', new memory.MemoryStorageAdapter());
const shared = new redis.RedisStorageAdapter({ socket: { path: process.argv[2] } });
await shared.connect();
await show('Redis', shared);
process.exit();
SHOW
cat >expected <<'SEEN'
memory, two at once, new key: carried out, refused, as it is under way
memory, two at once, within its time: the stored answer, the stored answer
memory, two at once, after its time: carried out, carried out
Redis, two at once, new key: carried out, refused, as it is under way
Redis, two at once, within its time: the stored answer, the stored answer
Redis, two at once, after its time: carried out, refused, as it is under way
SEEN
TZ=UTC node show.mjs "$folder/redis.sock" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
