#!/usr/bin/env bash
# Options that cancel each other. ofetch 1.5.1, the fetch of Nuxt, ignores its `timeout` in silence beside a `signal`, and with both an abort is
# retried, so that the call rejects only after all delays. Its own timeout is retried by nothing: the retries use the signal that
# is aborted already, and are counted and waited for, but never sent. Who adds retries for slow answers has none, and who passes a
# signal on has no timeout. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts ofetch@1.5.1
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import { ofetch } from 'ofetch';

let requests = 0;
const server = createServer(() => {
  requests += 1;
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;

async function show(name, options) {
  requests = 0;
  const started = performance.now();
  const open = new Promise((resolve) => setTimeout(resolve, 3_000, 'open after 3 s'));
  const rejected = ofetch(url, options).catch(() => `rejects after ${Math.round((performance.now() - started) / 500) / 2} s`);
  const outcome = await Promise.race([rejected, open]);
  console.log(`${name}: requests ${requests}, ${outcome}`);
}

const abortedAfterHalfASecond = () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 500);
  return controller.signal;
};
const { signal } = new AbortController();
await show('timeout 0.5 s', { timeout: 500, retry: 0 });
await show('timeout 0.5 s, 2 retries, a second apart', { timeout: 500, retry: 2, retryDelay: 1_000 });
await show('timeout 0.5 s, a signal', { timeout: 500, retry: 0, signal });
await show('abort after 0.5 s, 2 retries', { retry: 2, retryDelay: 1_000, signal: abortedAfterHalfASecond() });
await show('abort after 0.5 s, 2 retries, timeout 9 s', {
  timeout: 9_000,
  retry: 2,
  retryDelay: 1_000,
  signal: abortedAfterHalfASecond(),
});
process.exit();
SHOW
cat >expected <<'SEEN'
timeout 0.5 s: requests 1, rejects after 0.5 s
timeout 0.5 s, 2 retries, a second apart: requests 1, rejects after 2.5 s
timeout 0.5 s, a signal: requests 1, open after 3 s
abort after 0.5 s, 2 retries: requests 1, rejects after 0.5 s
abort after 0.5 s, 2 retries, timeout 9 s: requests 1, rejects after 2.5 s
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
