#!/usr/bin/env bash
# An abort that waits for its turn. axios-rate-limit 1.9.0 holds a request back until its window has room, and asks for the abort only then: a
# request with `AbortSignal.timeout(300)` rejects when the window is over, here after two seconds, with limits of an hour after an hour, and a
# shutdown that aborts all calls waits for all. Until then it stands in the queue. The `timeout` of axios begins after the wait, too, so that
# neither of them bounds a call. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts axios@1.21.1 axios-rate-limit@1.9.0
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:http';
import axios from 'axios';
import rateLimit from 'axios-rate-limit';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const server = createServer((_request, response) => {
  setTimeout(() => response.end('ok'), 20);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;

async function show(name, options) {
  const client = rateLimit(axios.create(), { limits: [{ maxRequests: 1, duration: '2s' }] });
  const started = performance.now();
  await client.get(url);
  const call = client.get(url, options).then(
    () => 'resolves',
    () => 'rejects',
  );
  await sleep(1_000);
  const waiting = client.getQueue().length;
  const outcome = await call;
  const after = Math.round((performance.now() - started) / 500) * 500;
  console.log(`${name}: ${waiting} in the queue after 1000 ms, ${outcome} after ${after} ms`);
}
await show('aborted after 300 ms', { signal: AbortSignal.timeout(300) });
await show('timeout: 300', { timeout: 300 });
server.close();
server.closeAllConnections();
SHOW
cat >expected <<'SEEN'
aborted after 300 ms: 1 in the queue after 1000 ms, rejects after 2000 ms
timeout: 300: 1 in the queue after 1000 ms, resolves after 2000 ms
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
