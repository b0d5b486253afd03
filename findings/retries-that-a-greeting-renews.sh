#!/usr/bin/env bash
# Retries that a greeting renews. `retryAttempts: 3` of graphql-ws 6.4.2 counts connections that were lost since the last one that the server
# acknowledged. A server that acknowledges each and breaks at the subscription, which may be what breaks it, is asked again without an end: the
# count is 0 each time, and so is what `retryWait` is told, so that delays that grow, the default too, stay at the first. A server that breaks
# before it acknowledges is given up after three retries. Seen on Node 20.20.2, 2026-11-30, with delays of 50 ms.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts graphql-ws@6.4.2 graphql@16.15.0 ws@8.23.0
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createClient } from 'graphql-ws';
import WebSocket, { WebSocketServer } from 'ws';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let breaksAt;
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'graphql-transport-ws' });
server.on('connection', (socket) => {
  socket.on('message', (text) => {
    const { type } = JSON.parse(text);
    if (type === breaksAt) socket.terminate();
    else if (type === 'connection_init') socket.send(JSON.stringify({ type: 'connection_ack' }));
  });
});
await once(server, 'listening');

for (breaksAt of ['connection_init', 'subscribe']) {
  const counts = [];
  const retryWait = (count) => {
    counts.push(count);
    return sleep(50);
  };
  const url = `ws://127.0.0.1:${server.address().port}`;
  const client = createClient({ url, webSocketImpl: WebSocket, retryAttempts: 3, retryWait });
  const ended = new Promise((resolve) => {
    client.subscribe({ query: 'subscription { jobs }' }, { next: () => undefined, error: () => resolve('given up'), complete: resolve });
  });
  const end = await Promise.race([ended, sleep(5_000).then(() => 'goes on')]);
  const retries = counts.length > 10 ? 'more than ten' : counts.length;
  console.log(`breaks at ${breaksAt}: ${end} after ${retries} retries, told ${counts.slice(0, 5).join(', ')}`);
  client.terminate();
}
process.exit();
SHOW
cat >expected <<'SEEN'
breaks at connection_init: given up after 3 retries, told 0, 1, 2
breaks at subscribe: goes on after more than ten retries, told 0, 0, 0, 0, 0
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
