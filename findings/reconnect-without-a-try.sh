#!/usr/bin/env bash
# A `reconnect()` that does nothing, without an error. reconnecting-websocket 4.4.0 says that it connects again and resets the count of retries.
# After `maxRetries` is reached it never does, nor after a `close()` during the wait between two tries: the lock of a try that ended
# so is not given back. The button "try again" is dead until the page is loaded again. After a `close()` of an open
# socket it connects. Seen on Node 20.20.2, 2026-11-29.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts reconnecting-websocket@4.4.0 ws@8.18.3
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:net';
import ReconnectingWebSocket from 'reconnecting-websocket';
import WebSocket, { WebSocketServer } from 'ws';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const closed = createServer().listen(0, '127.0.0.1');
await once(closed, 'listening');
const dead = `ws://127.0.0.1:${closed.address().port}`;
closed.close();
const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
await once(server, 'listening');
const alive = `ws://127.0.0.1:${server.address().port}`;

async function show(name, { url, maxRetries, waitMs }, close) {
  let tries = 0;
  let target = url;
  class Counted extends WebSocket {
    constructor(...given) {
      super(...given);
      tries += 1;
    }
  }
  const options = { WebSocket: Counted, maxRetries, minReconnectionDelay: 400, maxReconnectionDelay: 400, minUptime: 50 };
  const socket = new ReconnectingWebSocket(() => target, [], options);
  await sleep(waitMs);
  if (close) socket.close();
  await sleep(1_000);
  const before = tries;
  target = alive;
  socket.reconnect();
  await sleep(1_000);
  const state = socket.readyState === WebSocket.OPEN ? 'open' : 'closed';
  console.log(`${name}: tries ${before}, after reconnect() ${tries - before} more, ${state}`);
  socket.close();
}

await show('open, closed by close()', { url: alive, maxRetries: 2, waitMs: 300 }, true);
await show('maxRetries reached', { url: dead, maxRetries: 2, waitMs: 1_500 }, false);
await show('close() during a wait', { url: dead, maxRetries: Infinity, waitMs: 200 }, true);
process.exit();
SHOW
cat >expected <<'SEEN'
open, closed by close(): tries 1, after reconnect() 1 more, open
maxRetries reached: tries 3, after reconnect() 0 more, closed
close() during a wait: tries 1, after reconnect() 0 more, closed
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
