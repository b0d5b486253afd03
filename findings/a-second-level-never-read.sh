#!/usr/bin/env bash
# A second level that is never read. With `nonBlocking: true` and several stores `get` and `mget` of cache-manager 7.2.9 return the first value that is
# found, by its documentation. They return the first answer, and "not here" is one: of a memory before a Redis the memory answers first, so that
# what only Redis holds, after a restart of the process all of it, is not found, though `wrap` finds it. Who keeps there what has been done already
# does it again. Seen on Node 20.20.2, 2026-11-30, on a Redis 7.0.15 of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${redis:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts cache-manager@7.2.9 keyv@5.6.0 @keyv/redis@5.1.6
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
redis=$!
until [ -S "$folder/redis.sock" ]; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import KeyvRedis from '@keyv/redis';
import { createCache } from 'cache-manager';
import { Keyv } from 'keyv';

const redis = new Keyv({ store: new KeyvRedis({ socket: { path: process.argv[2] } }) });
await redis.set('order:7', 'paid');

for (const nonBlocking of [false, true]) {
  const cache = createCache({ stores: [new Keyv(), redis], nonBlocking });
  const one = await cache.get('order:7');
  const [many] = await createCache({ stores: [new Keyv(), redis], nonBlocking }).mget(['order:7']);
  const wrapped = await createCache({ stores: [new Keyv(), redis], nonBlocking }).wrap('order:7', () => 'computed', 60_000);
  console.log(`nonBlocking: ${nonBlocking}, get: ${one}, mget: ${many}, wrap: ${wrapped}`);
}
await redis.disconnect();
SHOW
cat >expected <<'SEEN'
nonBlocking: false, get: paid, mget: paid, wrap: paid
nonBlocking: true, get: undefined, mget: undefined, wrap: paid
SEEN
TZ=UTC node show.mjs "$folder/redis.sock" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
