#!/usr/bin/env bash
# Kept while offline, lost to the first 503. The queue of workbox-background-sync 7.4.1, and of serwist 9.5.13, which continues it, keeps a request
# that found no network and sends it again when there is one; what fails again is kept, by the documentation. Any answer is a success to them: after a
# 503, or a 429 with its `Retry-After`, the request is taken out for good, and `replayRequests` resolves. Of two orders that were placed offline a
# server to which all its clients come back at once refuses one, and that is gone. A lost connection keeps both. Seen on Node 20.20.2, 2026-12-01, with
# fake-indexeddb 6.2.8.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts workbox-background-sync@7.4.1 serwist@9.5.13 fake-indexeddb@6.2.8 esbuild@0.28.2
cat >queues.mjs <<'QUEUES'
export { BackgroundSyncQueue as serwist } from 'serwist';
export { Queue as workbox } from 'workbox-background-sync/Queue.js';
QUEUES
node_modules/.bin/esbuild queues.mjs --bundle --format=esm --define:process.env.NODE_ENV='"production"' --log-level=error --outfile=bundle.mjs
cat >show.mjs <<'SHOW'
import 'fake-indexeddb/auto';
import { once } from 'node:events';
import { createServer } from 'node:http';

Object.assign(globalThis, { self: globalThis, registration: { scope: 'http://localhost/' } }); // what a service worker has
const queues = await import('./bundle.mjs');

async function show(name, Queue, refuse) {
  let requests = 0;
  const stored = [];
  const server = createServer((request, response) => {
    requests += 1;
    if (requests === 1) return refuse(request, response);
    stored.push(request.url);
    response.end('stored');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const queue = new Queue(`${name} ${port}`, { onSync: () => undefined });
  for (const path of ['/orders/1', '/orders/2']) {
    await queue.pushRequest({ request: new Request(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: 'an order' }) });
  }
  const replay = () => queue.replayRequests().then(() => 'resolves', () => 'rejects');
  const replays = [await replay(), await replay()];
  console.log(`${name}: the replay ${replays.join(', then ')}; stored: ${stored.join(' ')}; waiting: ${await queue.size()}`);
  server.close();
}

for (const [name, Queue] of Object.entries(queues)) {
  await show(`${name}, connection lost once`, Queue, (request) => request.socket.destroy());
  for (const status of [503, 429]) {
    await show(`${name}, ${status} once`, Queue, (_request, response) => response.writeHead(status, { 'retry-after': '5' }).end());
  }
}
process.exit();
SHOW
cat >expected <<'SEEN'
serwist, connection lost once: the replay rejects, then resolves; stored: /orders/1 /orders/2; waiting: 0
serwist, 503 once: the replay resolves, then resolves; stored: /orders/2; waiting: 0
serwist, 429 once: the replay resolves, then resolves; stored: /orders/2; waiting: 0
workbox, connection lost once: the replay rejects, then resolves; stored: /orders/1 /orders/2; waiting: 0
workbox, 503 once: the replay resolves, then resolves; stored: /orders/2; waiting: 0
workbox, 429 once: the replay resolves, then resolves; stored: /orders/2; waiting: 0
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
