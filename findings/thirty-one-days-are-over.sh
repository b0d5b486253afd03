#!/usr/bin/env bash
# Thirty-one days that are over. memcached 1.6.18 takes a life of more than thirty days, in seconds, for an instant since 1970: what is to be kept for
# 31 days or for a year ended in that year, is stored with success, and is not there. memjs 1.3.2 hands the number on, and so does Keyv 5.5.5 over
# @keyv/memcache 2.0.2, whose lives are milliseconds and know no such end: an idempotency key of a month and a day is known for no time. Seen on Node
# 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 "$folder"
apt-get download memcached=1.6.18-1+deb12u1 libsasl2-2 libevent-2.1-7 >/dev/null 2>&1
for package in *.deb; do dpkg-deb --extract "$package" debian; done
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts memjs@1.3.2 keyv@5.5.5 @keyv/memcache@2.0.2
port="$(node -e 'const server = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close(); })')"
LD_LIBRARY_PATH="$folder/debian/usr/lib/x86_64-linux-gnu" debian/usr/bin/memcached --listen=127.0.0.1 --port="$port" --user=nobody >log 2>&1 &
server=$!
cat >show.mjs <<'SHOW'
import { setTimeout as sleep } from 'node:timers/promises';
import KeyvMemcache from '@keyv/memcache';
import Keyv from 'keyv';
import memjs from 'memjs';

await sleep(1_000);
const address = `127.0.0.1:${process.argv[2]}`;
const client = memjs.Client.create(address);
const keyv = new Keyv({ store: new KeyvMemcache(address) });
for (const days of [1, 30, 31, 365]) {
  await client.set(`memjs-${days}`, 'done', { expires: days * 86_400 });
  const { value } = await client.get(`memjs-${days}`);
  await keyv.set(`key-${days}`, 'done', days * 86_400_000);
  console.log(`kept for ${days} days: memjs has ${value}, Keyv ${await keyv.get(`key-${days}`)}`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
kept for 1 days: memjs has done, Keyv done
kept for 30 days: memjs has done, Keyv done
kept for 31 days: memjs has null, Keyv undefined
kept for 365 days: memjs has null, Keyv undefined
SEEN
TZ=UTC node show.mjs "$port" | tee seen
diff expected seen || { cat log; echo 'It behaves otherwise now.'; exit 1; }
